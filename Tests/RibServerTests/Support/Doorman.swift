import Foundation
import RibCore
import RibServer
import Synchronization

/// An authenticator that knows people by what they say: `ada`, `ada:clerk,boss` with roles, and behind a `;` more, in seconds from now:
/// `exp=5`, `iat=-10`.
final class Doorman: SessionAuthenticator {
  private let requests = Mutex<[AuthenticationRequest]>([])
  private let barred = Mutex<Set<String>>([])
  private let checks = Mutex<[ContinuousClock.Instant]>([])

  /// What it was asked, in order.
  var asked: [AuthenticationRequest] { requests.withLock { $0 } }

  func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity? {
    requests.withLock { $0.append(request) }
    guard let secret = request.credential?.secret else { return nil }
    let parts = secret.split(separator: ";").map(String.init)
    let words = parts[0].split(separator: ":").map(String.init)
    switch words[0] {
    case "wrong": throw .invalid("The credential is wrong.")
    case "old": throw .expired
    case "barred": throw .forbidden("Not you.")
    case "lost": throw .unavailable("The keys are on the moon.")
    case "slow": await Self.wait()
    default: break
    }
    var identity = Identity(words[0], roles: Set(words.dropFirst().joined().split(separator: ",").map(String.init)))
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=")
      let date = Date(timeIntervalSinceNow: Double(pair[1]) ?? 0)
      if pair[0] == "exp" { identity.expires = date } else { identity.issued = date }
    }
    return identity
  }

  /// When it was asked whether somebody is still let in.
  var checkTimes: [ContinuousClock.Instant] { checks.withLock { $0 } }

  /// Lets somebody in no longer.
  func bar(_ subject: String) { barred.withLock { _ = $0.insert(subject) } }

  /// Of one that is called `patient` nobody ever hears.
  func holds(_ identity: Identity) async -> Bool {
    checks.withLock { $0.append(.now) }
    if identity.subject == "patient" { await Self.wait() }
    return barred.withLock { !$0.contains(identity.subject) }
  }

  /// Waits until nobody wants to know any more.
  private static func wait() async {
    let stream = AsyncStream<Void> { _ in }
    for await _ in stream {}
  }
}
