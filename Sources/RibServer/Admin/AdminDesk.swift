import Synchronization
import Wire
import WireHTTP

/// The server that an admin server shows, and the tokens of those who may look.
final class AdminDesk: Sendable {
  /// The server that is shown.
  let server: Server
  private let tokens: Mutex<AdminTokens>

  /// A desk.
  init(_ server: Server, _ tokens: AdminTokens) {
    self.server = server
    self.tokens = Mutex(tokens)
  }

  /// Lets other tokens in from now on.
  func replace(_ tokens: AdminTokens) { self.tokens.withLock { $0 = tokens } }

  /// Makes sure that a request is an operator's, or that of a tool of theirs.
  ///
  /// - Parameter head: the request's head.
  /// - Returns: whose it is.
  /// - Throws: ``HTTPError`` with 401 without a token, or with a wrong one.
  @discardableResult func check(_ head: RequestHead) throws(HTTPError) -> AdminTokens.Bearer {
    let fields = head.headers.values(for: "Authorization")
    guard fields.count == 1, let token = fields.first.flatMap(Self.token) else {
      throw Self.unauthorized("An admin token is to be in Authorization, as a Bearer (RFC 6750 §2.1).")
    }
    guard let bearer = tokens.withLock({ $0 }).bearer(of: token) else {
      throw Self.unauthorized("There is no such admin token.")
    }
    return bearer
  }

  /// The bearer of a token; nil if nobody has it.
  func bearer(of token: String) -> AdminTokens.Bearer? { tokens.withLock { $0 }.bearer(of: token) }

  /// The operators who have tokens.
  var bearers: [AdminTokens.Bearer] { tokens.withLock { $0 }.bearers }

  private static func token(in field: String) -> String? {
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  private static func unauthorized(_ reason: String) -> HTTPError {
    HTTPError(status: .unauthorized, reason: reason, headers: ["WWW-Authenticate": "Bearer"])
  }
}
