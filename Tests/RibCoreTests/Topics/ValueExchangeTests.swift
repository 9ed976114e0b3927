import Synchronization
import Testing

@testable import RibCore

@Suite(.timeLimit(.minutes(5))) struct ValueExchangeTests {
  /// The newest keeper has the values; the end of another one is not its own.
  @Test func keeper_isToldOfChanges_andOfNewValues() {
    let exchange = ValueExchange()
    let log = Mutex<[String]>([])
    let first = ClusterValue(name: "a", 0, on: exchange)
    let old = exchange.connect { value in log.withLock { $0.append("old \(value.name)") } }
    first.update { $0 += 1 }
    let new = exchange.connect { value in log.withLock { $0.append("new \(value.name)") } }
    exchange.disconnect(old)
    first.update { $0 += 1 }
    let second = ClusterValue(name: "b", 0, on: exchange)
    #expect(log.withLock { $0 } == ["old a", "new a", "new b"])
    #expect(exchange.members.count == 2 && first.value == 0)
    exchange.disconnect(new)
    #expect(!exchange.isConnected)
    second.update { $0 += 1 }
    #expect(second.value == 1)
  }

  @Test func value_isForgottenWithItsLastUser() {
    let exchange = ValueExchange()
    var value: ClusterValue<Int>? = ClusterValue(name: "a", 0, on: exchange)
    #expect(exchange.members.count == 1 && value != nil)
    value = nil
    #expect(exchange.members.isEmpty)
  }
}
