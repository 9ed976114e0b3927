import Synchronization
import Wire
import WireHTTP

/// The server that an admin server shows, and the tokens of those who may look.
final class AdminDesk: Sendable {
  /// The server that is shown.
  let server: Server
  private let tokens: Mutex<AdminTokens>
  /// How many wrong tokens each place may show; nil is this machine.
  let wrongTokens: RateBudget<Place?>
  /// How many wrong tokens were shown since the audit has had a line about them; nil if it has had none for a minute.
  private let untold = Mutex<Int?>(nil)

  /// How many connections there may be that have shown no token: of more, the oldest is closed.
  ///
  /// So whoever holds connections open and says nothing keeps nobody out.
  static let strangerLimit = 64
  /// The delay of the answer to a wrong token, after too many of them.
  static let refusalDelay = Duration.seconds(1)
  /// How often the audit has a line about wrong tokens, in seconds.
  static let auditPause = 60

  /// A desk.
  init(_ server: Server, _ tokens: AdminTokens) {
    self.server = server
    self.tokens = Mutex(tokens)
    wrongTokens = RateBudget(perMinute: server.context.settings.limits.failedSignInsPerMinute)
  }

  /// Samples the shown server for its charts, also while no operator looks at them.
  ///
  /// - Parameter interval: nanoseconds between two samples.
  /// - Returns: the ticker that samples; it stops when it is released.
  func keepHistory(every interval: UInt64) -> Ticker<Void> {
    Ticker("ribserver.history", server.context.environment, every: interval, ()) { [server] _ in
      server.inspection?.takeSample(unlessWithin: interval / 2)
      return true
    }
  }

  /// Counts a wrong token for the audit.
  ///
  /// - Returns: whether it is the first for a while: then the audit is to have a line, and ``takeUntold()`` to be called a minute later.
  func noteWrongToken() -> Bool {
    untold.withLock { count in
      defer { count = count.map { $0 + 1 } ?? 0 }
      return count == nil
    }
  }

  /// The number of wrong tokens since the last line; if there are some, the audit is to have another line.
  func takeUntold() -> Int {
    untold.withLock { count in
      let sum = count ?? 0
      count = sum > 0 ? 0 : nil
      return sum
    }
  }

  /// Lets other tokens in from now on.
  func replace(_ tokens: AdminTokens) { self.tokens.withLock { $0 = tokens } }

  /// Makes sure that a request is an operator's, or that of a tool of theirs.
  ///
  /// - Parameter head: the request's head.
  /// - Returns: whose it is.
  /// - Throws: ``HTTPError`` with 401 without a token, or with a wrong one.
  @discardableResult func check(_ head: RequestHead) throws(HTTPError) -> AdminTokens.Bearer {
    guard let token = Self.token(in: head) else {
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

  /// The token of a request; nil if there is none.
  static func token(in head: RequestHead) -> String? {
    guard let field = head.headers.only("Authorization") else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  private static func unauthorized(_ reason: String) -> HTTPError {
    HTTPError(status: .unauthorized, reason: reason, headers: ["WWW-Authenticate": "Bearer"])
  }
}
