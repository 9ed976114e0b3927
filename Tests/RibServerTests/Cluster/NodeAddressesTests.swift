import Foundation
import Synchronization
import Testing

@testable import RibServer

/// Names of nodes, while the resolver takes its time.
@Suite(.timeLimit(.minutes(1))) struct NodeAddressesTests {
  /// A resolver that answers when it is told to.
  private final class Resolver: Sendable {
    private let state = Mutex((asked: [String](), held: Set<String>(), answers: [String: String]()))
    private let changed = NSCondition()

    var asked: [String] { state.withLock { $0.asked } }

    func hold(_ name: String) { state.withLock { _ = $0.held.insert(name) } }

    func answer(_ name: String, with address: String?) {
      changed.lock()
      state.withLock {
        $0.held.remove(name)
        $0.answers[name] = address
      }
      changed.broadcast()
      changed.unlock()
    }

    func find(_ name: String) throws(SystemError) -> String {
      state.withLock { $0.asked.append(name) }
      changed.lock()
      while state.withLock({ $0.held.contains(name) }) { changed.wait() }
      changed.unlock()
      guard let address = state.withLock({ $0.answers[name] }) else { throw SystemError(operation: "find", code: 1) }
      return address
    }
  }

  private let resolver = Resolver()
  private let clock = TestClock()
  private let addresses: NodeAddresses
  private let found = Found()

  private final class Found: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ address: String?) { list.withLock { $0.append(address ?? "none") } }
  }

  init() {
    var environment = Environment(
      time: clock.clock, randomWord: { 0 }, makeQueue: Environment.system.makeQueue,
      makeSemaphore: Environment.system.makeSemaphore)
    environment.sockets.find = { [resolver] name throws(SystemError) in try resolver.find(name) }
    addresses = NodeAddresses(environment)
  }

  private func find(_ name: String) { addresses.find(name) { [found] in found.add($0) } }

  @Test(arguments: ["10.0.0.7", "::1"]) func address_isItsOwn(text: String) {
    find(text)
    #expect(found.all == [text] && resolver.asked.isEmpty)
  }

  /// Many clients are passed on at a time, and each name is looked up once for all of them.
  @Test func nameThatTakesLong_keepsNoOtherWaiting() async {
    for name in ["slow", "fast"] { resolver.hold(name) }
    for _ in 0..<100 { find("slow") }
    for _ in 0..<100 { find("fast") }
    resolver.answer("fast", with: "10.0.0.2")
    #expect(await eventually { found.all.count == 100 })
    #expect(found.all.allSatisfy { $0 == "10.0.0.2" })
    resolver.answer("slow", with: nil)
    #expect(await eventually { found.all.count == 200 })
    #expect(found.all.suffix(100).allSatisfy { $0 == "none" })
    #expect(resolver.asked.sorted() == ["fast", "slow"])
  }

  /// A known address is used while the name is looked up again, and no longer than a minute.
  @Test func addressThatIsKnown_isUsedMeanwhile() async {
    resolver.answer("node", with: "10.0.0.1")
    find("node")
    #expect(await eventually { found.all == ["10.0.0.1"] })
    clock.advance(4)
    find("node")
    #expect(found.all.count == 2 && resolver.asked.count == 1)
    resolver.hold("node")
    clock.advance(2)
    for _ in 0..<3 { find("node") }
    #expect(found.all == Array(repeating: "10.0.0.1", count: 5))
    clock.advance(60)
    find("node")
    #expect(found.all.count == 5)
    resolver.answer("node", with: "10.0.0.9")
    #expect(await eventually { found.all.last == "10.0.0.9" })
    #expect(resolver.asked.count == 2)
  }

  /// A name that is not found is looked up again when it is asked for again.
  @Test func nameThatIsNotFound_isLookedUpAgain() async {
    find("node")
    #expect(await eventually { found.all == ["none"] })
    resolver.answer("node", with: "10.0.0.1")
    find("node")
    #expect(await eventually { found.all == ["none", "10.0.0.1"] })
  }
}
