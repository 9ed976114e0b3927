import Foundation
import RibCore
import RibServer

/// Hands out credentials, on a machine of its own, whose clock is set with those of the servers; only that it never hands out one that
/// is not newer than its person's last sign-out.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class SimulatedIssuer: @unchecked Sendable {
  /// What a credential says.
  private struct Credential {
    let person: Int
    /// Seconds since 1970.
    let issued: Int, expires: Int

    var text: String { "\(person).\(issued).\(expires)" }

    /// Reads a credential; nil if it is none.
    init?(_ text: String) {
      let numbers = text.split(separator: ".").compactMap { Int($0) }
      guard numbers.count == 3 else { return nil }
      self.init(person: numbers[0], issued: numbers[1], expires: numbers[2])
    }

    init(person: Int, issued: Int, expires: Int) {
      (self.person, self.issued, self.expires) = (person, issued, expires)
    }
  }

  private unowned let world: World
  private var random: SimulationRandom
  /// When each person was signed out last, in seconds since 1970.
  private var signOuts: [Int: Int] = [:]

  /// One that has handed out nothing.
  ///
  /// - Parameter world: where it is.
  init(in world: World) {
    self.world = world
    random = SimulationRandom(seed: world.seed, stream: 5)
  }

  /// What a person is called.
  static func subject(_ person: Int) -> String { "person \(person)" }

  /// Hands out a credential.
  ///
  /// - Parameter person: to whom.
  /// - Returns: its text.
  func issue(to person: Int) -> String {
    let now = max(world.wallClock, signOuts[person].map { $0 + 1 } ?? 0)
    return Credential(person: person, issued: now, expires: now + world.plan.setting.credentialSeconds).text
  }

  /// Takes note that a person is about to be signed out.
  func willSignOut(_ person: Int) { signOuts[person] = max(world.wallClock, signOuts[person] ?? 0) }

  /// The servers' way to ask who has shown a credential.
  ///
  /// - Parameter clock: of the process that asks.
  /// - Returns: what a server is given.
  func authenticator(_ clock: SimulatedClock) -> any SessionAuthenticator { Authenticator(issuer: self, clock: clock) }

  private struct Authenticator: SessionAuthenticator {
    let issuer: SimulatedIssuer
    let clock: SimulatedClock

    func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity? {
      guard let shown = request.credential else { return nil }
      guard let credential = Credential(shown.secret) else { throw .invalid("This is no credential.") }
      if issuer.random.oneIn(2) {
        // One that takes too long is not waited for.
        let time = issuer.random.magnitude(bits: issuer.isCalm ? 28 : 34)
        do { try await clock.sleep(for: .nanoseconds(time)) } catch { throw .unavailable("\(error)") }
      }
      if !issuer.isCalm, issuer.random.oneIn(10) { throw .unavailable("The issuer is away.") }
      return Identity(
        SimulatedIssuer.subject(credential.person), issued: Date(timeIntervalSince1970: Double(credential.issued)),
        expires: Date(timeIntervalSince1970: Double(credential.expires)))
    }
  }

  private var isCalm: Bool { world.isCalm }
}
