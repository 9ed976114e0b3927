import WireHTTP

/// The source of a client's answer, once the client speaks with somebody else than its own connection: bytes pass as they are.
///
/// Each member is called on the client's loop.
protocol Relay: AnyObject {
  /// How many bytes more the client may say.
  var room: Int { get }

  /// Passes on what the client has said.
  ///
  /// - Parameter bytes: the next ones.
  /// - Returns: false if nobody takes them any more; ``end()`` is to be called then.
  func pass(_ bytes: Span<UInt8>) -> Bool

  /// Goes on reading, as the client has taken something.
  func goOn()

  /// The client says nothing more.
  func endSending()

  /// Ends the relay; the client's connection is not told.
  func close()

  /// Ends the relay, and tells the client's connection.
  func end()

  /// Whether a node is at the other end.
  func leads(to node: Int) -> Bool
}
