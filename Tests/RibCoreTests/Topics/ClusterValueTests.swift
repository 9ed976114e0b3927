import RibTesting
import Synchronization
import Testing
import Wire

@testable import RibCore

@Suite(.timeLimit(.minutes(5))) struct ClusterValueTests {
  /// A store that several processes use, which takes one write at a time.
  private final class Store: Sendable {
    struct State {
      var version = 0
      var value = Array("0".utf8)
    }
    let state = Mutex(State())

    /// - Returns: whether it was written.
    func write(_ member: any ValueExchange.Member) -> Bool {
      guard let write = member.nextWrite() else { return true }
      let (wasWritten, found) = state.withLock { state in
        let isFirst = state.version == write.version
        if isFirst { (state.version, state.value) = (state.version + 1, write.value) }
        return (isFirst, NamedValue(name: write.name, version: state.version, value: state.value))
      }
      member.writeEnded(wasWritten, found)
      return wasWritten
    }
  }

  private static func value(_ version: Int, _ json: String) -> NamedValue {
    NamedValue(name: "n", version: version, value: Array(json.utf8))
  }

  /// What waits to be written.
  private final class Submitted: Sendable {
    let members = Mutex<[any ValueExchange.Member]>([])
    func add(_ member: any ValueExchange.Member) { members.withLock { $0.append(member) } }
  }

  @Test func withoutAStore_itIsAsASharedValue() async {
    let value = ClusterValue(name: "n", 1, on: ValueExchange())
    value.update { $0 += 1 }
    var values = value.subscribe().makeAsyncIterator()
    #expect(await values.next() == 2)
    value.update { $0 += 1 }
    #expect(await values.next() == 3)
    #expect(value.value == 3)
  }

  /// Each change is made once, whoever is faster, and all see the same.
  @Test func changes_areMadeOnce() {
    let store = Store()
    let exchanges = (0..<3).map { _ in ValueExchange() }
    let values = exchanges.map { ClusterValue(name: "n", 0, on: $0) }
    for exchange in exchanges { _ = exchange.connect { _ in } }
    for round in 0..<10 {
      for value in values { for _ in 0...round { value.update { $0 += 1 } } }
      #expect(values[0].value == 3 * round * (round + 1) / 2, "not before the store has it")
      // The first write of all but one is of an older version.
      for value in values { while !store.write(value) {} }
      let newest = store.state.withLock { NamedValue(name: "n", version: $0.version, value: $0.value) }
      for exchange in exchanges { exchange.receive(newest) }
      for value in values { #expect(value.value == 3 * (round + 1) * (round + 2) / 2) }
    }
    #expect(store.state.withLock { $0.version } == 30, "all that waits is one write")
  }

  /// It is not known whether it was made: the same again, though another node's change has come in between.
  @Test func writeOfUnknownOutcome_staysTheSame() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", 0, on: exchange)
    _ = exchange.connect { _ in }
    value.update { $0 += 1 }
    let write = value.nextWrite()
    #expect(write == Self.value(0, "1"))
    value.update { $0 += 10 }
    exchange.receive(Self.value(2, "101"))
    #expect(value.value == 101)
    #expect(value.nextWrite() == write)
    value.writeEnded(true, Self.value(2, "101"))
    #expect(value.nextWrite() == Self.value(2, "111"))
    value.writeEnded(false, Self.value(3, "201"))
    #expect(value.value == 201)
    #expect(value.nextWrite() == Self.value(3, "211"))
    value.writeEnded(true, Self.value(4, "211"))
    #expect(value.value == 211 && value.nextWrite() == nil)
  }

  /// A standby was promoted that had not all: what the store has counts.
  @Test func storeThatIsBehind_isBelieved() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", 0, on: exchange)
    _ = exchange.connect { _ in }
    exchange.receive(Self.value(7, "70"))
    exchange.receive(Self.value(6, "60"))
    #expect(value.value == 70, "an older one that comes late")
    value.update { $0 += 1 }
    #expect(value.nextWrite() == Self.value(7, "71"))
    value.writeEnded(false, Self.value(5, "50"))
    #expect(value.value == 50)
    #expect(value.nextWrite() == Self.value(5, "51"))
  }

  /// A node that writes nothing shows what such a store has once it reads it: an older value, another one of the same number, or none.
  @Test func storeThatIsBehind_isBelieved_byThoseWhoReadIt() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", 1, on: exchange)
    _ = exchange.connect { _ in }
    for (found, shown) in [
      (Self.value(7, "70"), 70), (Self.value(5, "50"), 50), (Self.value(5, "55"), 55), (nil, 1),
      (Self.value(1, "10"), 10),
    ] {
      let names = exchange.read { names in
        #expect(names == ["n"])
        return found.map { [$0] } ?? []
      }
      #expect(names == ["n"] && value.value == shown)
    }
    value.update { $0 += 1 }
    #expect(value.nextWrite() == Self.value(1, "11"))
  }

  /// What another node has told while the store was read is not taken back.
  @Test func valueThatComesWhileTheStoreIsRead_stays() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", 0, on: exchange)
    exchange.receive(Self.value(7, "70"))
    _ = exchange.read { _ in
      exchange.receive(Self.value(8, "80"))
      return [Self.value(7, "70")]
    }
    #expect(value.value == 80)
  }

  /// Before the server has started, and once it has stopped: they are this process's, until the store is read.
  @Test func changesWithoutAStore_giveWayToWhatItHas() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", 0, on: exchange)
    value.update { $0 += 1 }
    let first = exchange.connect { _ in }
    _ = exchange.read { _ in [] }
    value.update { $0 += 10 }
    #expect(value.value == 1)
    #expect(value.nextWrite() == Self.value(0, "11"), "nobody has changed it there")
    value.writeEnded(true, Self.value(1, "11"))
    exchange.disconnect(first)
    value.update { $0 += 100 }
    #expect(value.value == 111)
    _ = exchange.read { _ in [Self.value(1, "11")] }
    #expect(value.value == 11)
    value.update { $0 += 100 }
    _ = exchange.read { _ in [Self.value(2, "30")] }
    _ = exchange.connect { _ in }
    value.update { $0 += 1 }
    #expect(value.value == 30 && value.nextWrite() == Self.value(2, "31"))
  }

  /// What changes nothing need not be written; the store has to be asked whether it is still so.
  @Test func changeThatChangesNothing_isSaidToBeSuch() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", [1], on: exchange)
    _ = exchange.connect { _ in }
    exchange.receive(Self.value(3, "[1,2]"))
    value.update { $0.removeAll { $0 == 5 } }
    #expect(value.nextWrite() == Self.value(3, "[1,2]") && value.writesTheSame)
    value.writeEnded(false, Self.value(4, "[1,2,5]"))
    #expect(value.nextWrite() == Self.value(4, "[1,2]") && !value.writesTheSame)
    value.writeEnded(true, Self.value(5, "[1,2]"))
    #expect(value.nextWrite() == nil && value.value == [1, 2])
  }

  @Test func whatCannotBeEncoded_isNotMade_andTheRestIs() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", Even(number: 0), on: exchange)
    _ = exchange.connect { _ in }
    for change in [2, 1, 4] { value.update { $0.number += change } }
    #expect(value.nextWrite() == Self.value(0, #"{"number":6}"#))
    #expect(value.takeFaults() == [.unencodable] && value.takeFaults().isEmpty)
  }

  /// In their order, some at a time; those that cannot be made do not hold up the others for long.
  @Test func manyChanges_areSeveralWrites() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", Natural(numbers: []), on: exchange)
    _ = exchange.connect { _ in }
    let (count, bad) = (200, [0, 63, 64, 199] + Array(100..<120))
    for number in 0..<count { value.update { $0.numbers.append(bad.contains(number) ? -1 : number) } }
    var (writes, turns) = (0, 0)
    while value.hasChanges {
      turns += 1
      guard let next = value.nextWrite() else { continue }
      writes += 1
      value.writeEnded(true, NamedValue(name: "n", version: writes, value: next.value))
    }
    #expect(value.value.numbers == (0..<count).filter { !bad.contains($0) })
    #expect(writes > 2 && turns > writes && value.takeFaults().count == bad.count)
  }

  /// What would not fit into a message between nodes is refused, and said to be.
  @Test func whatIsTooLong_isNotMade_andTheRestIs() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", "", on: exchange)
    _ = exchange.connect { _ in }
    value.update { $0 += "a" }
    value.update { $0 += String(repeating: "b", count: ValueExchange.byteLimit) }
    value.update { $0 += "c" }
    #expect(value.nextWrite() == Self.value(0, #""ac""#))
    #expect(value.takeFaults() == [.tooLong(bytes: ValueExchange.byteLimit + 4)])
  }

  /// Numbers that can be encoded if none is negative.
  private struct Natural: Codable {
    var numbers: [Int]
    func encode(to encoder: any Encoder) throws {
      guard numbers.allSatisfy({ $0 >= 0 }) else {
        throw EncodingError.invalidValue(numbers, .init(codingPath: [], debugDescription: "negative"))
      }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(numbers, forKey: .numbers)
    }
    private enum CodingKeys: CodingKey { case numbers }
  }

  /// A number that can be encoded if it is even.
  private struct Even: Codable {
    var number: Int
    func encode(to encoder: any Encoder) throws {
      guard number.isMultiple(of: 2) else {
        throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "odd"))
      }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
    }
    private enum CodingKeys: CodingKey { case number }
  }

  /// Another version of the program has written it: that is left alone.
  @Test func whatCannotBeRead_isNotChanged() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", 5, on: exchange)
    _ = exchange.connect { _ in }
    value.update { $0 += 1 }
    exchange.receive(Self.value(1, #"{"count":7}"#))
    #expect(value.value == 5 && value.nextWrite() == nil)
    exchange.receive(Self.value(2, #"{"count":8}"#))
    #expect(value.takeFaults() == [.unreadable], "once")
    value.update { $0 += 1 }
    #expect(value.nextWrite() == nil)
    exchange.receive(Self.value(3, "8"))
    value.update { $0 += 1 }
    #expect(value.value == 8 && value.nextWrite() == Self.value(3, "9"))
  }

  private struct Counting: Riblet {
    static let typeName = "Counting"
    enum ViewAction: Decodable { case add }
    enum InternalAction: Sendable { case changed(Int) }
    let total: ClusterValue<Int>
    func makeState() -> Int { 0 }
    func didBecomeActive(_ state: inout Int) -> Effect<Self> { .observe(total, id: "total") { .changed($0) } }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .update(total) { $0 += 1 } }
    func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> {
      if case .changed(let total) = internalAction { state = total }
      return .none
    }
    func view(_ state: Int) -> Int { state }
  }

  @Test func sessions_shareIt() throws {
    let total = ClusterValue(name: "n", 7, on: ValueExchange())
    let (one, two) = (
      try TestSession(Counting(total: total), effects: .running),
      try TestSession(Counting(total: total), effects: .running)
    )
    #expect(two.viewState()?.text == "7")
    try one.act(#""add""#)
    #expect(one.viewState()?.text == "8" && two.viewState()?.text == "8")
    guard case .may(let bells) = two.tree.restWithClients else {
      Issue.record("it may rest")
      return
    }
    #expect(bells.count == 1)
  }
}
