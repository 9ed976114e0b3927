import Wire

/// The connection that sends and receives for a channel, as the channel sees it.
protocol ChannelPort: AnyObject {
  /// Whether something was received that is not handled.
  var hasUnreadInput: Bool { get }

  /// The node that passes the client's bytes on; nil if the client has come itself.
  var relayingNode: Int? { get }

  /// The connection is to send, at the end of the present batch of events, the bytes that may be sent, and to go on with the messages that
  /// wait for that.
  func flushLater()

  /// The channel is about to say why it ends.
  func willSay(_ bye: Bye, _ message: String)

  /// All is said: ``Channel/leave(comesBack:)`` is to be called, and the peer to be waited for.
  func channelEnded(comesBack: Bye.Return)

  /// A sign-out of a person concerns the channel from now on.
  func isConcerned(by person: PersonID)

  /// The session has left memory: the channel is to be told when it is back for another client.
  func didFallAsleep(_ sleeper: Sleeper)
}
