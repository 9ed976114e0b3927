extension ServerSettings {
  /// How long recordings are kept in ``recordDirectory``.
  ///
  /// A session's recording is removed whole, and not as long as this server has the session in memory: servers that run at the same time
  /// want a directory each.
  public struct Recordings: Equatable, Sendable {
    /// `recordings.keepDays`: how many days after it was written last a recording is removed; 0 for never.
    public var keepDays = 30
    /// `recordings.totalMegabytes`: how many megabytes all have together before the oldest are removed; 0 for any number.
    public var totalMegabytes = 1024

    /// The defaults.
    public init() {}
  }
}
