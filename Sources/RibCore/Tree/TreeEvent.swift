/// Something that happened in a tree, for a log, a debugger or a test.
public enum TreeEvent: Equatable, Sendable {
  /// A node was attached below another; the root has none.
  case attached(id: NodeID, type: String, parent: NodeID?)
  /// A node was detached.
  case detached(id: NodeID, type: String)
  /// A node became active.
  case activated(id: NodeID, type: String)
  /// A node became inactive.
  case deactivated(id: NodeID, type: String)
  /// A transaction is done; what was noted since the last one belongs to it, but for effects that ended by themselves.
  case committed(transaction: UInt64)
  /// A transaction was undone; what was noted since the last one has not happened, but for effects that ended by
  /// themselves.
  case undone(reason: String)
  /// An effect was started.
  case effectStarted(token: EffectToken, type: String, id: EffectID?)
  /// An effect has returned or thrown, before what follows from that; or it was cancelled.
  case effectEnded(token: EffectToken, type: String, id: EffectID?)
}
