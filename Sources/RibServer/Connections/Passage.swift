import WireHTTP

/// How a client reaches its session that is not on this connection's loop alone: at another node, or joined with others.
enum Passage {
  /// It has opened a WebSocket, and may have to be passed on once its session is found.
  case opening(Opening)
  /// Its answer comes from the node that has its session, or from the connections of several clients.
  case onward(any Relay)
  /// Another node passes its bytes on.
  case incoming(RelayedClient)
}

/// What a client of a WebSocket has sent until its session is found: another node may have to be told the same.
final class Opening {
  /// Its request.
  let head: RequestHead
  /// What was agreed on about compression; nil for nothing.
  let compression: PerMessageDeflate?
  /// Its first message, as it was before it was compressed; empty before it has come.
  var message: [UInt8] = []
  /// Whether that came compressed.
  var wasCompressed = false

  /// A client that has said nothing.
  ///
  /// - Parameters:
  ///   - head: its request.
  ///   - compression: what was agreed on about compression; nil for nothing.
  init(_ head: RequestHead, _ compression: PerMessageDeflate?) {
    self.head = head
    self.compression = compression
  }
}
