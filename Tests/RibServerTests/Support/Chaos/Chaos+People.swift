import Foundation
import RibTestSupport
import Synchronization

/// What becomes of the persons behind the clients, and what must be nowhere because of them.
extension Chaos {
  /// Changes the issuer's key, and signs somebody out, when it is time.
  func changePeople() throws {
    guard let people else { return }
    let now = milliseconds()
    if now >= nextRotation {
      nextRotation = now + people.pace.rotation * 1000
      try people.rotate()
    }
    guard now >= nextSignOut else { return }
    // Those who share a session are looked at together. A client without a session would begin one after the sign-out, as the server
    // rightly allows.
    let candidates = clients.compactMap { $0.party == nil && $0.hasSession ? $0.personNumber : nil }
    guard let person = candidates.filter({ !people.isLeaving($0) }).randomElement(using: &random) else { return }
    nextSignOut = now + people.pace.signOut * 1000
    try people.signOut(person, at: daemon)
  }

  var peopleFigures: [ChaosFigures.Figure] {
    guard let people else { return [] }
    typealias Figure = ChaosFigures.Figure
    func sum(_ value: (ChaosClient.Figures) -> Int) -> Int { clients.reduce(0) { $0 + value($1.figures) } }
    return [
      Figure(name: "credentials", count: people.tokens.count, usual: 3000),
      Figure(name: "changes of the key", count: people.rotationCount, usual: 2, least: 1, isOfClients: false),
      Figure(name: "persons signed out", count: people.signOutCount, usual: 2, least: 1, isOfClients: false),
      Figure(
        name: "vain returns of theirs", count: clients.reduce(0) { $0 + ($1.person?.vainReturns ?? 0) }, usual: 3,
        least: 1, isOfClients: false),
      Figure(name: "renewals", count: sum(\.renewals), usual: 150),
      Figure(name: "expiries", count: sum(\.expiries), usual: 50),
    ]
  }

  /// Looks for what opens something in all files that the server has written, its log among them.
  ///
  /// - Returns: what was found.
  /// - Throws: what the system says.
  func leaks() throws -> [String] {
    guard let people else { return [] }
    let sessions = clients.flatMap(\.tokens) + twins.compactMap(\.tokenOfSession)
    // Of a credential the claims and the signature: all of the issuer's have the same head. Of an invitation the part behind the name.
    let needles =
      people.tokens.flatMap { $0.split(separator: ".").dropFirst() }
      + sessions.compactMap { $0.split(separator: ".").last }
    let list = Daemon.makeDirectory()
    try needles.joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: list) }
    let grep = URL(fileURLWithPath: "/bin/grep")
    let (status, output, errors) = try Program.run(
      grep, ["-r", "-a", "-o", "-F", "-m", "3", "-f", list, directory], within: 300)
    guard status != 1 else { return try rawTokens(sessions) + missingFormats() }
    return output.split(separator: "\n").map { "There is a token in a file: \($0)" }
      + (status == 0 ? [] : ["grep has failed: \(errors)"])
  }

  /// Looks for tokens as the bytes that they are the digits of.
  private func rawTokens(_ tokens: [String]) throws -> [String] {
    var found: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(directory)/state") {
      guard let data = FileManager.default.contents(atPath: "\(directory)/state/\(name)") else { continue }
      for token in tokens.prefix(200) {
        let digits = Array((token.split(separator: ".").last ?? "").utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
          UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16)
        }
        if data.range(of: Data(bytes)) != nil { found.append("There is a token's bytes in \(name): \(token)") }
      }
    }
    return found
  }

  /// A log without lines of both forms shows nothing about one of them.
  private func missingFormats() throws -> [String] {
    let lines = try String(contentsOfFile: "\(directory)/log", encoding: .utf8).split(separator: "\n")
    let count = lines.count { $0.hasPrefix("{") }
    return count > 0 && count < lines.count ? [] : ["Of \(lines.count) lines of the log \(count) are JSON."]
  }

  /// Whether a line of the server's log is more than a message.
  static func isComplaint(_ line: Substring) -> Bool {
    let level =
      line.hasPrefix("{")
      ? line.split(separator: #""level":""#, maxSplits: 1).last?.prefix { $0 != "\"" }
      : line.split(separator: " ", maxSplits: 2).dropFirst().first
    return !["trace", "debug", "info", "notice"].contains(level)
  }
}
