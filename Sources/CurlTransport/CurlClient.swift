package import RibClient
package import Wire
package import WireHTTP

/// A source of credentials, called before each connection, and when the last credential is about to end; nil for an anonymous client.
package typealias Credential = () throws -> String?

/// A ``ClientSession`` on a ``CurlWebSocket``: a whole client for programs that may block.
package final class CurlClient {
  /// The session's state: its view, its outbox.
  package private(set) var session = ClientSession()
  private var socket: CurlWebSocket
  /// Opens a connection: to the session that the query names, or for a new one.
  private let connect: (SessionQuery?) throws -> CurlWebSocket
  private let start = ContinuousClock.now
  private var heartbeat = Heartbeat(interval: 0, at: 0)
  private var backOff = BackOff()
  private var renewal = Renewal()
  /// The source of the client's credentials; nil for an anonymous client.
  private let credential: Credential?
  /// What went wrong while a message was answered; told after the events of the message.
  private var failure: (any Error)?

  /// What was agreed on about compression; nil for none.
  package var compression: PerMessageDeflate? { socket.compression }

  /// The socket, to be waited for together with others.
  package var descriptor: Int32 { socket.socket.descriptor }

  /// Connects and waits for the first view.
  ///
  /// - Parameters:
  ///   - url: of the server.
  ///   - app: the app's name.
  ///   - parameters: what its root is built with.
  ///   - offer: what to offer about compression; nil for none.
  ///   - threshold: bytes from which a message is compressed.
  ///   - features: the kinds of messages that the client asks for besides those that every client gets.
  ///   - credential: the source of its credentials; nil for an anonymous client.
  /// - Throws: ``CurlError``, `HTTPError`, `ClientError`, or ``CurlClientError`` if the server says `bye` instead.
  package convenience init(
    url: String, app: String, parameters: JSONValue? = nil, compression offer: PerMessageDeflate.Offer? = nil,
    threshold: Int = FrameWriter.defaultThreshold, features: [ClientFeature] = [], credential: Credential? = nil
  ) throws {
    try self.init(
      connect: { try CurlWebSocket(url: url, query: $0, compression: offer, threshold: threshold) }, features,
      credential
    ) {
      $0.hello(app: app, parameters: parameters, client: Self.info, auth: $1)
    }
  }

  /// Connects, joins a session that somebody has shared, and waits for the first view.
  ///
  /// - Parameters:
  ///   - url: of the server.
  ///   - token: what the other has got for ``share(_:)``.
  ///   - features: the kinds of messages that the client asks for besides those that every client gets.
  ///   - credential: the source of its credentials; nil for an anonymous client.
  /// - Throws: as ``init(url:app:parameters:compression:threshold:features:credential:)``.
  package convenience init(
    url: String, joining token: String, features: [ClientFeature] = [], credential: Credential? = nil
  ) throws {
    let query = SessionQuery(shareToken: token)
    try self.init(connect: { try CurlWebSocket(url: url, query: $0) }, joining: query, features, credential) {
      $0.join(token: token, client: Self.info, auth: $1)
    }
  }

  private init(
    connect: @escaping (SessionQuery?) throws -> CurlWebSocket, joining query: SessionQuery? = nil,
    _ features: [ClientFeature], _ credential: Credential?, greet: (inout ClientSession, _ auth: String?) -> [UInt8]
  ) throws {
    self.connect = connect
    self.credential = credential
    session.features = features
    // Before connecting: the server waits only for a while for `hello`.
    let auth = try credential?()
    socket = try connect(query)
    try send(greet(&session, auth))
    while session.view == nil { try refuse(receive()) }
  }

  private static let info = ClientInfo(name: "CurlClient")

  /// Drops the connection, without a word.
  package func disconnect() {
    socket.socket.cut()
    session.disconnected()
  }

  /// Gives the session up.
  ///
  /// - Returns: the actions that it is not known of whether they were done.
  package func abandon() -> [ClientEvent] {
    socket.socket.cut()
    return session.abandon()
  }

  /// Connects again, goes on with the session, and sends what the server has not taken.
  ///
  /// - Returns: what happened until the session was live.
  /// - Throws: as the initializer.
  @discardableResult
  package func reconnect() throws -> [ClientEvent] {
    var events: [ClientEvent] = []
    try reconnect { events += $0 }
    return events
  }

  /// Connects again, goes on with the session, and sends what the server has not taken.
  ///
  /// - Parameter report: is told what happens, also where the server says `bye` or the connection is cut in the end.
  /// - Throws: as the initializer.
  package func reconnect(report: ([ClientEvent]) throws -> Void) throws {
    if !session.isAway { disconnect() }
    let auth = try credential?()
    socket = try connect(session.query)
    failure = nil
    try send(session.resume(client: Self.info, auth: auth))
    while session.welcome == nil {
      let events = try receive()
      try report(events)
      try refuse(events)
    }
    for message in session.resend() { try send(message) }
  }

  /// How long to wait before ``reconnect(report:)``.
  ///
  /// - Parameter error: what ended the connection, or the last attempt to have one.
  /// - Returns: milliseconds; nil if the client does not come back.
  package func delay(after error: any Error) -> Int? {
    var generator = SystemRandomNumberGenerator()
    return backOff.delay(after: Self.comesBack(after: error), using: &generator)
  }

  /// How long to wait before leaving a server that goes down.
  ///
  /// - Parameter milliseconds: as its `drain` says.
  /// - Returns: milliseconds.
  package func delay(drainedWithin milliseconds: Int) -> Int {
    var generator = SystemRandomNumberGenerator()
    return backOff.delay(drainedWithin: milliseconds, using: &generator)
  }

  /// What a client does next.
  ///
  /// - Parameter error: what ended its connection, or its attempt to have one.
  /// - Returns: whether it comes back, and as whom.
  package static func comesBack(after error: any Error) -> Bye.Return {
    switch error {
    case let error as CurlClientError: error.comesBack
    case is CurlError: .atOnce
    // Another server than ours has answered, for it, or ours has no room.
    case is HTTPError: .later
    default: .not
    }
  }

  /// Sends an action, without waiting for its answer.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - to: whom it is for.
  /// - Throws: `ClientError` or ``CurlError``.
  package func act(_ action: JSONValue, to: NodeAddress) throws {
    try send(session.act(action, to: to))
    noteAnswers()
  }

  /// Uses the back button, without waiting for the answer.
  ///
  /// - Parameter to: the node to be left; for the root, what is in front of all is.
  /// - Throws: `ClientError` or ``CurlError``.
  package func back(to: NodeAddress) throws {
    try send(session.back(to: to))
    noteAnswers()
  }

  /// Asks for the hash of the view, without waiting for the answer.
  ///
  /// - Throws: `ClientError` or ``CurlError``.
  package func check() throws { try send(session.check()) }

  /// Asks for a token to join the session with, without waiting for the answer.
  ///
  /// - Parameter scope: what whoever joins may do.
  /// - Throws: `ClientError` or ``CurlError``.
  package func share(_ scope: ShareScope) throws { try send(session.share(scope)) }

  /// Sends a `ping`, which ``keepAlive()`` does by itself when it is due.
  ///
  /// - Throws: `ClientError` or ``CurlError``.
  package func ping() throws { try send(session.ping()) }

  /// Sends a `ping` if one is due, and shows a new credential if a renewal is due; to be called when nothing is there to be received.
  ///
  /// - Returns: milliseconds after which it is to be called again; nil for never.
  /// - Throws: `ClientError` or ``CurlError``, with ``CurlError/timedOut`` if the server has been silent for too long. After an
  ///   error of the source of credentials, the source is asked again ten seconds later.
  package func keepAlive() throws -> Int? {
    let untilRenewal = try renewIfDue()
    switch heartbeat.step(at: now) {
    case .wait(let milliseconds): return [milliseconds, untilRenewal].compactMap(\.self).min()
    case .giveUp: throw CurlError.timedOut
    case .ping:
      try ping()
      return try keepAlive()
    }
  }

  private func renewIfDue() throws -> Int? {
    guard let credential, let wait = renewal.wait(at: now), session.welcome != nil else { return nil }
    guard wait == 0 else { return wait }
    renewal.began()
    // Without a new credential the connection goes on until the identity ends.
    guard let token = try? credential() else {
      renewal.failed(at: now)
      return renewal.wait(at: now)
    }
    try send(session.auth(token))
    return nil
  }

  /// Takes the server's next message.
  ///
  /// - Parameter timeout: milliseconds; 0 takes only what is there.
  /// - Returns: what it means.
  /// - Throws: ``CurlError``, with ``CurlError/timedOut`` if nothing came; ``CurlClientError`` if the connection ended
  ///   without a `bye`; `ClientError`.
  package func receive(timeout: Int = CurlSocket.defaultTimeout) throws -> [ClientEvent] {
    if let failure {
      self.failure = nil
      throw failure
    }
    switch try socket.receive(timeout: timeout) {
    case .message(let bytes): return try take(bytes)
    case .closed(let code, let reason):
      session.disconnected(code: code)
      throw CurlClientError(code: code, reason: reason)
    }
  }

  private func take(_ message: [UInt8]) throws -> [ClientEvent] {
    heartbeat.received(at: now)
    let events = try session.receive(message.span)
    defer { noteAnswers() }
    for event in events {
      switch event {
      case .live(let welcome):
        heartbeat = Heartbeat(interval: welcome.heartbeat, at: now, after: heartbeat)
        backOff.succeeded()
        noteIdentity(expires: welcome.identityExpires)
      case .renewed(let expires): noteIdentity(expires: expires)
      case .outOfStep: resync()
      default: break
      }
    }
    return events
  }

  private func noteIdentity(expires: Int?) {
    var generator = SystemRandomNumberGenerator()
    renewal.note(expires: expires, at: now, using: &generator)
  }

  private func resync() {
    do {
      if let message = try session.resync(at: now) { try send(message) }
    } catch {
      failure = error
    }
  }

  private func noteAnswers() {
    heartbeat.answered(through: session.coveredNumber, isAll: session.outbox.isEmpty, at: now)
  }

  private func send(_ message: [UInt8]) throws {
    try socket.send(message)
    heartbeat.sent(at: now)
  }

  /// Milliseconds since the client was made.
  private var now: Int {
    Int(start.duration(to: .now) / .milliseconds(1))
  }

  /// Waits until every action is answered.
  ///
  /// - Returns: what happened meanwhile.
  /// - Throws: as ``receive(timeout:)``; ``CurlClientError`` if the server says `bye` before.
  @discardableResult
  package func settle() throws -> [ClientEvent] {
    var events: [ClientEvent] = []
    try settle { events += $0 }
    return events
  }

  /// Waits until every action is answered.
  ///
  /// - Parameter report: is told what happens, also where the server says `bye` in the end.
  /// - Throws: as ``receive(timeout:)``; ``CurlClientError`` if the server says `bye` before.
  package func settle(report: ([ClientEvent]) throws -> Void) throws {
    while !session.outbox.isEmpty {
      let events = try receive()
      try report(events)
      try refuse(events)
    }
  }

  /// Ends the client's part in the session, and with the last client the session, and waits until the server has closed.
  ///
  /// - Throws: as ``receive(timeout:)``.
  package func end() throws {
    try send(session.bye())
    while case .message = try socket.receive() {}
    // The close frame was answered by none of ours yet.
    try socket.close()
  }

  private func refuse(_ events: [ClientEvent]) throws {
    for case .ended(let bye, let message) in events {
      if let bye { throw CurlClientError(bye, reason: message) }
      // A reason that is not known has a close code that is.
      var incoming = try socket.receive()
      while case .message = incoming { incoming = try socket.receive() }
      guard case .closed(let code, _) = incoming else { continue }
      throw CurlClientError(code: code, reason: message, hasSaidBye: true)
    }
  }
}

/// The server ended the connection, or it was cut.
package struct CurlClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The close code, if there was one.
  package let code: CloseCode?
  /// The reason that the server gave.
  package let reason: String
  /// Whether the client comes back after the end, and as whom.
  package let comesBack: Bye.Return

  /// An end without a `bye` that the client knows.
  ///
  /// - Parameters:
  ///   - code: of the close frame; nil if there was none.
  ///   - reason: the server's.
  ///   - hasSaidBye: whether the server has said `bye`, with a word that the client does not know.
  package init(code: CloseCode?, reason: String, hasSaidBye: Bool = false) {
    self.code = code
    self.reason = reason
    comesBack = hasSaidBye && code == .normal ? .not : Bye.Return(code)
  }

  /// An end by a `bye`.
  ///
  /// - Parameters:
  ///   - bye: why.
  ///   - reason: the server's.
  package init(_ bye: Bye, reason: String) {
    code = bye.closeCode
    self.reason = reason
    comesBack = bye.comesBack
  }

  /// One sentence for a person.
  package var description: String {
    guard let code else { return "The connection was cut." }
    return "The server closed the connection: \(reason) (\(code.rawValue))"
  }
}
