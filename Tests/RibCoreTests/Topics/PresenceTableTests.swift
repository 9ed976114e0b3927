import Testing

@testable import RibCore

@Suite(.timeLimit(.minutes(5))) struct PresenceTableTests {
  private struct Guest: Codable, Equatable, Identifiable, Sendable {
    let id: String
    var mood = ""
  }

  private typealias Table = PresenceTable<Guest>
  private static let (ada, ben) = (Guest(id: "Ada"), Guest(id: "Ben"))

  /// What is shown after a tick, and what others are told then.
  private static func tick(_ table: inout Table) -> (shown: [Guest]?, joined: [Guest], left: [Guest]) {
    let tick = table.tick(isSettled: true)
    return (tick.shown.map(\.elements), tick.change.joined, tick.change.left)
  }

  @Test func whoComes_isShownAndTold_andLeavesAfterTheGrace() {
    var table = Table(grace: 3)
    #expect(Self.tick(&table).shown == [], "nobody is news, too")
    let ada = table.enter(Self.ada)
    let first = Self.tick(&table)
    #expect(first.shown == [Self.ada] && first.joined == [Self.ada] && first.left == [])
    #expect(Self.tick(&table).shown == nil)
    table.leave("Ada", ada)
    let second = Self.tick(&table)
    #expect(second.shown == nil && second.left == [Self.ada], "others have a grace of their own")
    #expect(Self.tick(&table).shown == nil)
    let isIdle = table.tick(isSettled: true)
    #expect(isIdle.shown == [] && isIdle.isIdle)
  }

  @Test func whoComesBackInTime_hasNotLeft() {
    var table = Table(grace: 2)
    let holder = table.enter(Self.ada)
    _ = Self.tick(&table)
    table.leave("Ada", holder)
    _ = table.enter(Self.ada)
    let tick = Self.tick(&table)
    #expect(tick.shown == nil && tick.joined == [] && tick.left == [])
    for _ in 0..<5 { #expect(Self.tick(&table).shown == nil) }
  }

  /// Somebody with two devices: the last word counts, and what the other has said once that one is gone.
  @Test func severalOfOneID_areOne() {
    var table = Table(grace: 1)
    let phone = table.enter(Guest(id: "Ada", mood: "glad"))
    let laptop = table.enter(Guest(id: "Ada", mood: "sad"))
    #expect(Self.tick(&table).shown == [Guest(id: "Ada", mood: "sad")])
    table.leave("Ada", laptop)
    let tick = Self.tick(&table)
    #expect(tick.shown == [Guest(id: "Ada", mood: "glad")] && tick.joined == [Guest(id: "Ada", mood: "glad")])
    table.leave("Ada", phone)
    #expect(Self.tick(&table).left == [Guest(id: "Ada", mood: "glad")])
  }

  /// A session moves: the other node tells of it before or after this one does not have it any more.
  @Test func whoMoves_staysThere() {
    var table = Table(grace: 2)
    let holder = table.enter(Self.ada)
    table.receive(joined: [Self.ben], left: [], from: 2)
    #expect(Self.tick(&table).shown == [Self.ada, Self.ben])
    table.leave("Ada", holder)
    #expect(Self.tick(&table).left == [Self.ada])
    table.receive(joined: [Self.ada], left: [], from: 2)
    table.receive(joined: [Self.ben], left: [], from: 3)
    table.receive(joined: [], left: [Self.ben], from: 2)
    for _ in 0..<5 { #expect(Self.tick(&table).shown == nil) }
    #expect(table.roll == [])
  }

  @Test func whoIsNotInTheRoll_isNotThere() {
    var table = Table(grace: 2)
    table.receive(joined: [Self.ada, Self.ben], left: [], from: 2)
    _ = table.enter(Self.ben)
    _ = Self.tick(&table)
    table.beginRoll(of: 2)
    table.receive(joined: [Guest(id: "Cleo")], left: [], from: 2)
    table.endRoll(of: 2)
    #expect(Self.tick(&table).shown == [Self.ada, Self.ben, Guest(id: "Cleo")])
    #expect(Self.tick(&table).shown == [Self.ben, Guest(id: "Cleo")])
    table.forget(2, grace: 3)
    #expect(Self.tick(&table).shown == nil)
    #expect(Self.tick(&table).shown == nil)
    #expect(Self.tick(&table).shown == [Self.ben])
    #expect(table.roll == [Self.ben])
  }

  /// Two nodes tell all that they have again, as a link was gone: the last word stays the last.
  @Test func roll_changesNoWord() {
    var table = Table(grace: 1)
    let (old, new) = (Guest(id: "Ada", mood: "glad"), Guest(id: "Ada", mood: "sad"))
    table.receive(joined: [old], left: [], from: 2)
    table.receive(joined: [new], left: [], from: 3)
    #expect(Self.tick(&table).shown == [new])
    table.beginRoll(of: 2)
    table.receive(joined: [old], left: [], from: 2)
    table.endRoll(of: 2)
    #expect(Self.tick(&table).shown == nil)
    table.forget(3, grace: 1)
    #expect(Self.tick(&table).shown == [old])
  }

  /// Until then sessions that were restored go on to show what they have shown.
  @Test func nothingIsShown_beforeOthersHadTheTimeToComeBack() {
    var table = Table(grace: 1)
    _ = table.enter(Self.ada)
    let early = table.tick(isSettled: false)
    #expect(early.shown == nil && !early.isIdle && early.change.joined == [Self.ada])
    #expect(Self.tick(&table).shown == [Self.ada])
  }

  /// Whatever comes and goes, at two processes that tell each other: in the end both show who is there.
  @Test(arguments: 0..<200) func inTheEnd_bothShowWhoIsThere(_ seed: UInt64) {
    var random = SeededGenerator(state: seed)
    var tables = [Table(grace: 2), Table(grace: 2)]
    var held: [[(id: String, holder: Int)]] = [[], []]
    var shown: [[Guest]] = [[], []]
    func tick(_ index: Int) {
      let (list, joined, left) = Self.tick(&tables[index])
      if let list { shown[index] = list }
      tables[1 - index].receive(joined: joined, left: left, from: index)
    }
    for _ in 0..<100 {
      let index = Int(random.next() % 2)
      switch random.next() % 4 {
      case 0, 1:
        let guest = Guest(id: "\(random.next() % 5)", mood: "\(random.next() % 3)")
        held[index].append((guest.id, tables[index].enter(guest)))
      case 2 where !held[index].isEmpty:
        let (id, holder) = held[index].remove(at: Int(random.next() % UInt64(held[index].count)))
        tables[index].leave(id, holder)
      default: tick(index)
      }
    }
    for _ in 0..<4 { for index in 0..<2 { tick(index) } }
    let there = Set(held.joined().map(\.id))
    for index in 0..<2 {
      #expect(Set(shown[index].map(\.id)) == there, "at \(index)")
      #expect(Set(tables[index].roll.map(\.id)) == Set(held[index].map(\.id)))
    }
  }
}
