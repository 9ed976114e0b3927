import WireHTTP

/// Which pages may talk to the server: a browser sends them with the credentials and from the place of whoever looks at them, and
/// says in the Origin field where they come from (RFC 6455 §10.2, RFC 6454 §7).
struct OriginPolicy: Sendable {
  /// What a request's origin is.
  enum Verdict: Equatable {
    /// No page has sent the request, or one that was served by this server under the name that it was asked by.
    case own
    /// A page of a site that was named in the settings: it may also read the answers.
    case listed(String)
    /// A page of another site.
    case foreign(String)
    /// A page of another site, though the field does not say which.
    case crossSite
    /// Not one field with one origin.
    case malformed
  }

  /// How pages that have no origin of their own are listed.
  static let opaque = "null"

  private let publicOrigin: WebOrigin?
  private let patterns: [OriginPattern]
  private let allowsAny: Bool
  /// Whether pages that have no origin of their own are let in.
  private let allowsOpaque: Bool

  /// The policy of settings.
  init(_ settings: ServerSettings) {
    publicOrigin = settings.publicOrigin
    patterns = settings.origins.compactMap { OriginPattern($0) }
    allowsAny = settings.origins.contains("*")
    allowsOpaque = allowsAny || settings.origins.contains(Self.opaque)
  }

  /// Whether the answers to two pages can differ.
  var dependsOnOrigin: Bool { publicOrigin != nil || !patterns.isEmpty || allowsOpaque }

  /// Says where a request comes from.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - scheme: with which it was asked, as a proxy has said; nil if that is not known.
  /// - Returns: the verdict.
  func judge(_ head: RequestHead, scheme: String?) -> Verdict {
    let fields = head.headers.values(for: "Origin")
    guard let field = fields.first else {
      // Something on the way may have taken the origin out.
      let site = head.headers["Sec-Fetch-Site"]
      return site == "cross-site" || site == "same-site" ? .crossSite : .own
    }
    guard fields.count == 1 else { return .malformed }
    if WebOrigin.isOpaque(field) { return allowsOpaque ? .listed(field) : .foreign(field) }
    guard let origin = WebOrigin(field) else { return .malformed }
    if origin == publicOrigin || allowsAny || patterns.contains(where: { $0.matches(origin) }) { return .listed(field) }
    if publicOrigin == nil, scheme == nil || scheme == origin.scheme,
      let host = head.headers["Host"].flatMap({ Authority($0) }), origin.isAt(host)
    {
      return .own
    }
    return .foreign(field)
  }
}
