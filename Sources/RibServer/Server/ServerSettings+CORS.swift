extension ServerSettings {
  /// The settings for pages of other sites.
  public struct CORS: Equatable, Sendable {
    /// `cors.maxAgeSeconds`: how long a browser need not ask again what a page of another origin may do.
    public var maxAgeSeconds = 600

    /// The defaults.
    public init() {}
  }
}
