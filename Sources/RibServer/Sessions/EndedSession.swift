/// A session that has ended for good: the store has deleted it, and no client comes back to it.
public struct EndedSession: Equatable, Sendable {
  /// Why a session has ended.
  ///
  /// There may be more reasons one day.
  public enum Reason: Equatable, Sendable {
    /// The last of its clients that may act has said goodbye.
    case goodbye
    /// No client has come back within its time to live.
    case expired
    /// Its state could not be encoded any more, so that no store could go on with the session.
    case failed
  }

  /// The session, as its clients know it and as ``/RibCore/SessionContext/id`` has it.
  public let id: String
  /// Why it has ended.
  public let reason: Reason
}
