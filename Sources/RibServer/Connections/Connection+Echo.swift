import WireHTTP

extension Connection {
  /// Sends a message back, if that is what the connection is there for.
  ///
  /// What is sent back counts towards the write queue like all else: a peer that does not read is not read from.
  ///
  /// - Parameters:
  ///   - payload: the message.
  ///   - isText: whether it is text.
  /// - Returns: whether it was sent back.
  func echo(_ payload: WebSocketPayload, isText: Bool) -> Bool {
    guard case .echo = state else { return false }
    guard case .frames(let writer) = channel.transport else { return true }
    channel.borrowStorage()
    input.withPayload(payload) { bytes in
      if isText { writer.text(bytes, into: &output.bytes) } else { writer.binary(bytes, into: &output.bytes) }
    }
    return true
  }
}
