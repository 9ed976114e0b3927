/// Something that happened in a tree, for a log, a debugger or a test.
package enum TreeEvent: Equatable, Sendable {
  /// A node was attached below another; the root has none.
  case attached(id: NodeID, type: String, parent: NodeID?)
  /// A node was detached.
  case detached(id: NodeID, type: String)
  /// A node became active.
  case activated(id: NodeID, type: String)
  /// A node became inactive.
  case deactivated(id: NodeID, type: String)
  /// A transaction was committed; events since the last one belong to it, except for effects that ended by themselves.
  case committed(transaction: UInt64)
  /// A transaction was rolled back; events since the last one have not happened, except for effects that ended by
  /// themselves.
  case undone(reason: String)
  /// An effect was started.
  case effectStarted(token: EffectToken, type: String, id: EffectID?)
  /// An effect was cancelled, or has returned or thrown; what follows from its end comes after this event.
  case effectEnded(token: EffectToken, type: String, id: EffectID?)
}
