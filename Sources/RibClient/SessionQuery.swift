/// Names a session in the URL that a connection to it is opened at.
///
/// A load balancer can then send all connections of a session to one server. The session's id opens nothing, and a server ignores
/// the query. A connection that starts a session has none, as there is no id yet.
public struct SessionQuery: Equatable, Sendable {
  /// The session's id.
  public let sessionID: String

  /// Names a session that the client resumes.
  ///
  /// - Parameter sessionID: the session's id.
  public init(sessionID: String) { self.sessionID = sessionID }

  /// Names a session that the client joins; nil if the token names none.
  ///
  /// The id is the part of the token before the first dot. What has no dot is no share token, and may be a secret: nothing of it
  /// belongs in a URL, which others log.
  ///
  /// - Parameter token: the one that another client got for ``ClientSession/share(_:)``.
  public init?(shareToken token: String) {
    let id = token.utf8.prefix { $0 != UInt8(ascii: ".") }
    guard !id.isEmpty, id.endIndex != token.utf8.endIndex else { return nil }
    sessionID = String(Substring(id))
  }

  /// Adds the query to a URL, in the place of one that names another session.
  ///
  /// - Parameter url: the socket's URL, or its path, with or without a query; a WebSocket's has no fragment (RFC 6455 §3).
  /// - Returns: the URL, which has `sid` as the last parameter of its query.
  public func added(to url: String) -> String {
    let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let others = (parts.count > 1 ? parts[1] : "").split(separator: "&").filter { $0 != "sid" && !$0.hasPrefix("sid=") }
    let query = others.map { "\($0)&" }.joined() + "sid=\(Self.encoded(sessionID))"
    return "\(parts[0])?\(query)"
  }

  /// Percent-encodes all but the unreserved characters (RFC 3986 §2.3).
  private static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
