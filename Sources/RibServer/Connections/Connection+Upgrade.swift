import Wire
import WireHTTP

extension Connection {
  /// Answers a request for a WebSocket, and goes on in frames.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - exchange: the connection's.
  ///   - next: the state to go on in.
  ///   - subprotocols: the subprotocols that are spoken there.
  /// - Throws: ``HTTPError`` if the request is none, or wants what is not spoken.
  func upgrade(
    _ head: RequestHead, _ exchange: HTTPExchange, to next: State, subprotocols: [String]
  ) throws(HTTPError) {
    let settings = rules.settings
    // What a node that passes the client on has agreed on with it holds.
    let relayed: RelayedClient? = if case .incoming(let client)? = passage { client } else { nil }
    let isFree = relayed == nil && settings.usesCompression
    let (response, _, agreement) = try WebSocketHandshake.answer(
      head, subprotocols: subprotocols, compression: isFree ? settings.compression.policy : nil)
    let compression = relayed?.compression ?? agreement
    let client = exchange.visit?.caller ?? caller
    try count(to: client)
    caller = client
    if context.authentications != nil { door = .papers(try Papers(head, cookie: settings.auth.cookie)) }
    response.write(into: &output.bytes, keepAlive: true, omitBody: true, date: loop.date)
    if let compression { compress(compression) }
    channel.trace = exchange.trace
    state = next
    kind = .websocket
    if case .channel = next {
      // The `hello` waits for the place's debt in `letIn`; the connection need not wait for it before.
      pace.goOn()
      noteOpening(head, compression)
    }
    restartDeadline()
  }

  /// Has messages compressed, with the loop's streams or, if context is kept, with the connection's own.
  private func compress(_ agreement: PerMessageDeflate) {
    let streams = loop.deflateStreams
    frames = FrameReader(
      role: .server, messageLimit: channel.limits.messageBytes, inflater: streams.inflater(for: agreement.client))
    channel.transport = .frames(
      FrameWriter.server.compressing(
        streams.deflater(for: agreement.server), threshold: rules.settings.compression.thresholdBytes))
  }
}
