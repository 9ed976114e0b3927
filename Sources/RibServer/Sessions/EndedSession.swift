/// A session that has ended for good: the store has deleted it, and no client comes back to it.
public struct EndedSession: Equatable, Sendable {
  /// Why a session has ended.
  ///
  /// There may be more reasons one day.
  public enum Reason: Equatable, Sendable {
    /// The last of its clients that may act has said goodbye.
    case goodbye
    /// No client has come back within its time to live; or the session's only client has done nothing, and was told not to
    /// come back.
    case expired
    /// Its state or its view could not be encoded any more, so that the session could not go on.
    case failed
    /// The program has ended it, with ``Server/end(session:)``, or an operator has, or has put out its last client.
    case dismissed
  }

  /// The session, as its clients know it and as ``/RibCore/SessionContext/id`` has it.
  public let id: String
  /// Why it has ended.
  public let reason: Reason
}

extension EndedSession.Reason {
  /// What sessions that end so are counted as.
  var count: LoopStats.AppCount {
    switch self {
    case .goodbye: .endedByGoodbye
    case .expired: .endedByAbsence
    case .failed: .endedByFailure
    case .dismissed: .endedByDismissal
    }
  }
}
