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

  @Test func whatCannotBeEncoded_isNotMade_andTheRestIs() {
    let exchange = ValueExchange()
    let value = ClusterValue(name: "n", Even(number: 0), on: exchange)
    _ = exchange.connect { _ in }
    for change in [2, 1, 4] { value.update { $0.number += change } }
    #expect(value.nextWrite() == Self.value(0, #"{"number":6}"#))
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
    value.update { $0 += 1 }
    #expect(value.nextWrite() == nil)
    exchange.receive(Self.value(2, "8"))
    value.update { $0 += 1 }
    #expect(value.value == 8 && value.nextWrite() == Self.value(2, "9"))
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
