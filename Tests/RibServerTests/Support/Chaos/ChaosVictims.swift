import Foundation
import RibClient
import Wire

/// Sessions whose pages in the store's file are damaged between two lives of the server.
///
/// Each is made for that, and has a state that takes pages of its own. The server has to start all the same, and to refuse
/// such a session, if it cannot be read any more: it alone.
struct ChaosVictims {
  private struct Victim {
    let welcome: Welcome
    let letter: UInt8
    let text: String
    var attempt = 0
    var isDamaged = false
  }

  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Those that were made, by name.
  private(set) var sessionIDs: [String] = []
  /// How many had pages that were overwritten, and how many were refused for it.
  private(set) var damaged = 0
  private(set) var refused = 0
  private(set) var deviations: [String] = []
  /// The one that is to be damaged next, or looked for.
  private var present: Victim?

  /// Makes one, in a server that runs.
  mutating func make(_ url: String) {
    note("could not be made") { victims in
      let letter = Self.letters[victims.sessionIDs.count % Self.letters.count]
      let text = String(repeating: Character(Unicode.Scalar(letter)), count: 40_000)
      let client = try PlainClient(url, app: "search")
      defer { client.cut() }
      try client.act(1, #"{"updateSearchText":"\#(text)"}"#)
      try client.next(#"{"t":"patch""#)
      let welcome = try client.welcome
      victims.present = Victim(welcome: welcome, letter: letter, text: text)
      victims.sessionIDs.append(welcome.sessionID)
    }
  }

  /// Damages it, while no process has the file.
  ///
  /// What the log has of a page is read instead of the page: without a checkpoint the damage may do no harm. The first ones do.
  mutating func damage(_ path: String, _ random: inout SeededGenerator) throws {
    guard var victim = present else { return }
    let damage = StoreDamage(path: path)
    if random.happens(0.7) || refused == 0 { try damage.checkpoint() }
    let pages = try damage.overflowPages(fullOf: victim.letter)
    guard let one = pages.randomElement(using: &random) else { return }
    // One page or all; with the number of the next page, or only a part of the text.
    let place = random.happens(0.5) ? 0 : 4
    for page in random.happens(0.5) ? pages : [one] {
      let garbage = (place..<StoreDamage.pageSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      try damage.overwrite(page, from: place, with: garbage)
    }
    damaged += 1
    victim.isDamaged = true
    present = victim
  }

  /// Looks what has become of it, in the next life of the server: it is refused, or is as it was.
  mutating func look(_ url: String) {
    guard var victim = present else { return }
    present = nil
    note("could not be looked for") { victims in
      victim.attempt += 1
      let client = try PlainClient(url, saying: PlainClient.resume(victim.welcome, attempt: victim.attempt))
      defer { client.cut() }
      let answer = try client.next()
      if answer.hasPrefix(#"{"t":"welcome""#) {
        let snapshot = try client.next(#"{"t":"snap""#)
        guard !snapshot.contains(#""\#(victim.text)""#) else { return }
        victims.deviations.append("A session with damaged pages shows another view: \(snapshot.prefix(400))")
      } else if victim.isDamaged, Self.isRefusal(answer) {
        victims.refused += 1
      } else {
        victims.deviations.append("A session with \(victim.isDamaged ? "" : "no ")damaged pages is told: \(answer)")
      }
    }
  }

  private static func isRefusal(_ answer: String) -> Bool {
    answer.hasPrefix(#"{"t":"bye","code":"failed""#) || answer.hasPrefix(#"{"t":"bye","code":"unavailable""#)
  }

  private mutating func note(_ complaint: String, _ body: (inout Self) throws -> Void) {
    do {
      try body(&self)
    } catch {
      deviations.append("A session that is to be damaged \(complaint): \(error)")
    }
  }
}
