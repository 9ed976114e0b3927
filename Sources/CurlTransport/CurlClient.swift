public import RibClient
public import Wire

/// A ``ClientSession`` on a ``CurlWebSocket``: a whole client for programs that may block.
public final class CurlClient {
  /// The session's state: its view, its outbox.
  public private(set) var session = ClientSession()
  private var socket: CurlWebSocket
  private let connect: () throws -> CurlWebSocket

  /// What was agreed on about compression; nil for none.
  public var compression: PerMessageDeflate? { socket.compression }

  /// The socket, to be waited for together with others.
  public var descriptor: Int32 { socket.socket.descriptor }

  /// Connects and waits for the first view.
  ///
  /// - Parameters:
  ///   - url: of the server.
  ///   - app: the app's name.
  ///   - parameters: what its root is built with.
  ///   - offer: what to offer about compression; nil for none.
  ///   - threshold: bytes from which a message is compressed.
  /// - Throws: ``CurlError``, `HTTPError`, `ClientError`, or ``CurlClientError`` if the server says `bye` instead.
  public init(
    url: String, app: String, parameters: JSONValue? = nil, compression offer: PerMessageDeflate.Offer? = nil,
    threshold: Int = FrameWriter.defaultThreshold
  ) throws {
    connect = { try CurlWebSocket(url: url, compression: offer, threshold: threshold) }
    socket = try connect()
    try socket.send(session.hello(app: app, parameters: parameters, client: ClientInfo(name: "CurlClient")))
    while session.view == nil { try refuse(receive()) }
  }

  /// Drops the connection, without a word.
  public func disconnect() {
    socket.socket.cut()
    session.disconnected()
  }

  /// Connects again, goes on with the session, and sends what the server has not taken.
  ///
  /// - Returns: what happened until the session was live.
  /// - Throws: as the initializer.
  @discardableResult
  public func reconnect() throws -> [ClientEvent] {
    if !session.isAway { disconnect() }
    socket = try connect()
    try socket.send(session.resume(client: ClientInfo(name: "CurlClient")))
    var events: [ClientEvent] = []
    while session.welcome == nil {
      let more = try receive()
      events += more
      try refuse(more)
    }
    for message in session.resend() { try socket.send(message) }
    return events
  }

  /// Sends an action, without waiting for its answer.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - to: whom it is for.
  /// - Throws: `ClientError` or ``CurlError``.
  public func act(_ action: JSONValue, to: NodeAddress) throws {
    try socket.send(session.act(action, to: to))
  }

  /// Sends a `ping`: to be done after ``pingMilliseconds`` without another message.
  ///
  /// - Throws: `ClientError` or ``CurlError``.
  public func ping() throws { try socket.send(session.ping()) }

  /// How long the client may be silent, in milliseconds.
  public var pingMilliseconds: Int { session.welcome?.heartbeat ?? 25_000 }

  /// Takes the server's next message.
  ///
  /// - Parameter timeout: milliseconds; 0 takes only what is there.
  /// - Returns: what it means.
  /// - Throws: ``CurlError``, with ``CurlError/timedOut`` if nothing came; ``CurlClientError`` if the connection ended
  ///   without a `bye`; `ClientError`.
  public func receive(timeout: Int = 10_000) throws -> [ClientEvent] {
    switch try socket.receive(timeout: timeout) {
    case .message(let bytes): try session.receive(bytes.span)
    case .closed(let code, let reason): throw CurlClientError(code: code, reason: reason)
    }
  }

  /// Waits until every action is answered.
  ///
  /// - Returns: what happened meanwhile.
  /// - Throws: as ``receive(timeout:)``; ``CurlClientError`` if the server says `bye` before.
  @discardableResult
  public func settle() throws -> [ClientEvent] {
    var events: [ClientEvent] = []
    while !session.outbox.isEmpty {
      let more = try receive()
      try refuse(more)
      events += more
    }
    return events
  }

  /// Ends the session and waits until the server has closed.
  ///
  /// - Throws: as ``receive(timeout:)``.
  public func end() throws {
    try socket.send(session.bye())
    while case .message = try socket.receive() {}
    // The close frame was answered by none of ours yet.
    try socket.close()
  }

  private func refuse(_ events: [ClientEvent]) throws {
    for case .ended(let bye, let message) in events {
      throw CurlClientError(code: bye?.closeCode, reason: message)
    }
  }
}

/// The server ended the connection.
public struct CurlClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The close code, if there was one.
  public let code: CloseCode?
  /// The reason that the server gave.
  public let reason: String

  /// One sentence for a person.
  public var description: String {
    guard let code else { return "The connection was cut." }
    return "The server closed the connection: \(reason) (\(code.rawValue))"
  }
}
