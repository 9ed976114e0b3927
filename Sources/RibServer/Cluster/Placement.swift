/// Where a session is to go on that another process holds.
enum Placement: Equatable, Sendable {
  /// Here: it may be taken from these.
  case here(from: Takeover)
  /// There: the client is passed on.
  case there
  /// The process that holds it cannot be asked, and is not known to be dead.
  case unknown
}
