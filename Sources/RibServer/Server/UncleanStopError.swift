/// A server has stopped, and not in order: its store failed, or did not answer.
///
/// Programs end with another status than 0 then, so that whoever runs them notices.
public struct UncleanStopError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number of sessions of which something is lost: what clients were told of since the store worked last, and the store does
  /// not have.
  public let lostSessionCount: Int
  /// Whether the store was given up, because it did not come back from a request: as on a disk that is gone.
  public let isStoreHanging: Bool

  init(lostSessionCount: Int, isStoreHanging: Bool) {
    self.lostSessionCount = lostSessionCount
    self.isStoreHanging = isStoreHanging
  }

  /// One or two sentences for a person.
  public var description: String {
    let store = isStoreHanging ? "The session store does not answer." : "The session store fails."
    switch lostSessionCount {
    case 0: return store
    case 1: return "\(store) What one session has done since it worked is lost."
    default: return "\(store) What \(lostSessionCount) sessions have done since it worked is lost."
    }
  }
}
