import Foundation
import Synchronization
import Testing

/// The lives of the server, and what becomes of its files and its clock.
extension Chaos {
  /// Kills the server, or now and then has it stop in order, looks what it has left, and starts it again.
  func replaceDaemon() throws {
    if random.happens(0.25) || kills + stops >= 2 && victims.damaged == 0 { victims.make(daemon.url) }
    // One of the first ones, so that no run goes without.
    if random.happens(0.1) || kills == 4 && stops == 0 {
      stops += 1
      #expect(daemon.stop() == 0)
    } else {
      kills += 1
      // Commits are short: a kill alone rarely meets one.
      if random.happens(0.5) {
        try blockStore(then: SIGKILL)
      } else {
        _ = daemon.stop(SIGKILL)
      }
    }
    _ = try audit.look(lookedAt)
    try victims.damage("\(directory)/state/sessions.sqlite", &random)
    jump()
    if people == nil, random.happens(0.1) || kills + stops >= 3 && otherLives == 0 { try runOtherVersion() }
    // Every other one, so that what must not be in the log is looked for in both forms.
    let format = (kills + stops).isMultiple(of: 2) ? "text" : "json"
    daemon = try Self.start(port, directory, clock, people, logFormat: format)
    victims.look(daemon.url)
  }

  /// Sets the clock of the server, whether it runs or not.
  func jump() {
    // With another time than the issuer's a server takes no credential.
    guard people == nil else { return }
    jumps += 1
    clock.jump(&random)
  }

  /// Has a version of the program run for a while that cannot read the sessions.
  ///
  /// A client without a session would begin one there: it could not go on with it afterwards.
  private func runOtherVersion() throws {
    let haveBegun =
      clients.allSatisfy { $0.party?.role == .guest || $0.hasSession }
      && twins.allSatisfy { $0.told.withLock { $0.sessionID != nil } }
    guard haveBegun else { return }
    otherLives += 1
    let other = try OtherVersion(
      otherLives.isMultiple(of: 2) ? .newer : .otherShape, port: port, stateDirectory: "\(directory)/state")
    usleep(UInt32(Int.random(in: 1000...4000, using: &random)) * 1000)
    other.stop()
    _ = try audit.look(lookedAt)
  }

  /// Keeps the server from committing for a while.
  func blockStore(then signal: Int32? = nil) throws {
    blocks += 1
    let time = UInt32(random.magnitude(in: 10...600)) * 1000
    try StoreBlocker(path: "\(directory)/state/sessions.sqlite").block {
      usleep(time)
      if let signal { _ = daemon.stop(signal) }
    }
  }
}
