import Wire

/// What a channel asks of the connection that sends and receives for it.
protocol ChannelPort: AnyObject {
  /// Whether something was received that is not handled.
  var hasUnreadInput: Bool { get }

  /// The node that passes the client's bytes on; nil if the client has come itself.
  var relayingNode: Int? { get }

  /// What may be sent is to be sent at the end of the present batch of events, and what waits for that is to go on.
  func flushLater()

  /// The channel is about to say why it ends.
  func willSay(_ bye: Bye, _ message: String)

  /// All is said: ``Channel/leave(comesBack:)`` is to be called, and the peer to be waited for.
  func channelEnded(comesBack: Bye.Return)

  /// The session has left memory: the channel is to be told when it is back for another client.
  func didFallAsleep(_ sleeper: Sleeper)
}
