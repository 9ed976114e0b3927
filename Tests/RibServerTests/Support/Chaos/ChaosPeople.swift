import Foundation
import GRDB
import RibServer
import RibTestSupport
import Synchronization
import Wire

/// The persons behind the clients of a chaos: tokens that are good for seconds, keys that change, and sign-outs.
///
/// Joserfc signs, and the server fetches the keys by HTTP. A set has the key that is in use and the one before it, as issuers do
/// while tokens of that are still about.
final class ChaosPeople: Sendable {
  /// How often things happen, in seconds.
  struct Pace {
    /// How long a token is good.
    let life: Int
    let rotation: Int
    let signOut: Int
    /// How long a server lives: long enough for identities to end meanwhile.
    let server: ClosedRange<Int>

    /// As in a run of some minutes, or closer in a short one.
    init(for seconds: Int) {
      (life, rotation, signOut, server) = seconds >= 180 ? (20, 30, 60, 20...60) : (5, 9, 7, 7...12)
    }
  }

  /// A token that can be shown for a while.
  private struct Credential {
    let token: String
    let end: Int
  }

  private struct Content {
    var credentials: [Int: Credential] = [:]
    /// All tokens that were ever handed out.
    var tokens: [String] = []
    var rotations = 0
    var signedOut: Set<Int> = []
    var isLeaving: Set<Int> = []
  }

  let pace: Pace
  private static let path = "/keys"
  private let issuer: IssuerProcess
  private let http: String
  private let content = Mutex(Content())

  /// An issuer with its first key.
  ///
  /// - Throws: ``IssuerProcess/Failure``.
  init(for seconds: Int) throws {
    pace = Pace(for: seconds)
    issuer = try IssuerProcess()
    http = try JSONValue(parsing: issuer.greeting)["http"]?.string ?? ""
    try rotate()
  }

  /// What a daemon is told of it.
  var arguments: [String] {
    [
      "--auth-mode", "jwt", "--auth-issuer", http, "--auth-audience", "chaos", "--auth-keys-url", http + Self.path,
      "--auth-algorithms", "ES256", "--auth-types", "JWT", "--auth-required", "false", "--auth-leeway-seconds", "0",
      "--auth-grace-seconds", "\(Self.grace)", "--auth-keys-cooldown-seconds", "1",
      "--limits-sessions-per-identity", "1000", "--limits-connections-per-identity", "0",
      "--limits-failed-sign-ins-per-minute", "0",
    ]
  }

  /// Seconds that clients may go on after their identity has ended.
  private static let grace = 2

  // MARK: The issuer

  /// How often keys have changed, and how many tokens there were.
  var rotationCount: Int { content.withLock { $0.rotations - 1 } }
  var tokens: [String] { content.withLock { $0.tokens } }

  /// Has another key sign from now on.
  func rotate() throws {
    let number = content.withLock { $0.rotations + 1 }
    let keys = try (max(number - 1, 1)...number).map { number in
      let key = ask(#"{"do":"public","key":"p256-\#(number)","members":{"kid":"\#(number)","use":"sig"}}"#)
      return try key.get().text
    }
    let set = JSONValue.string(#"{"keys":[\#(keys.joined(separator: ","))]}"#).text
    _ = try ask(
      #"{"do":"serve","path":"\#(Self.path)","status":200,"body":\#(set),"headers":{},"fill":0,"holds":false}"#
    ).get()
    content.withLock { content in
      content.rotations = number
      content.credentials = [:]
    }
  }

  /// A token for a person, which is good for a while still.
  func credential(of person: Int) -> String {
    let now = Int(Date().timeIntervalSince1970)
    let (found, number) = content.withLock { ($0.credentials[person], $0.rotations) }
    if let found, found.end - now > pace.life * 2 / 3 { return found.token }
    let claims = #"{"iss":"\#(http)","aud":"chaos","sub":"\#(person)","iat":\#(now),"exp":\#(now + pace.life)}"#
    let command =
      #"{"do":"token","key":"p256-\#(number)","alg":"ES256","header":{"kid":"\#(number)"},"claims":\#(claims)}"#
    let token = (try? ask(command).get()["token"]?.string) ?? ""
    content.withLock { content in
      content.tokens.append(token)
      content.credentials[person] = Credential(token: token, end: now + pace.life)
    }
    return token
  }

  private func ask(_ command: String) -> Result<JSONValue, any Error> {
    Result {
      let answer = try JSONValue(parsing: try issuer.ask(command))
      if let error = answer["error"]?.string { throw IssuerProcess.Failure(reason: error) }
      return answer
    }
  }

  // MARK: Sign-out

  /// How many were signed out.
  var signOutCount: Int { content.withLock { $0.signedOut.count } }

  /// Whether a person may be told to leave, as it is about to be signed out.
  func isLeaving(_ person: Int) -> Bool { content.withLock { $0.isLeaving.contains(person) } }

  /// Whether nothing may be done any more for clients that a person had until then.
  func isSignedOut(_ person: Int) -> Bool { content.withLock { $0.signedOut.contains(person) } }

  /// Signs a person out everywhere, as it would itself: in an app, by an action.
  ///
  /// - Parameters:
  ///   - person: who.
  ///   - daemon: a server that runs, and is not stopped meanwhile.
  /// - Throws: what the client throws, or what the store says.
  func signOut(_ person: Int, at daemon: Daemon) throws {
    let credential = credential(of: person)
    content.withLock { _ = $0.isLeaving.insert(person) }
    let client = try PlainClient(daemon.url, saying: #"{"t":"hello","app":"members","auth":"\#(credential)"}"#)
    try client.greet()
    try client.act(1, #""signOutEverywhereTapped""#)
    _ = try client.all(until: #"{"t":"bye","code":"revoked""#)
    // The app's sign-out has returned not before this: the client's own connection ends first.
    let store = try DatabaseQueue(path: "\(daemon.stateDirectory)/\(SQLiteStore.fileName)")
    let end = milliseconds() + 30_000
    while try store.read({
      try Row.fetchOne($0, sql: "SELECT 1 FROM revocation WHERE subject = ?", arguments: ["\(person)"])
    })
      == nil
    {
      guard milliseconds() < end else { throw DaemonError(output: "Person \(person) is not signed out in the store.") }
      // It is another process that says so.
      usleep(10_000)
    }
    content.withLock { content in
      content.signedOut.insert(person)
      content.credentials[person] = nil
    }
  }
}
