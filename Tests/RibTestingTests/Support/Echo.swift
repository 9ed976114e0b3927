import RibCore
import RibTesting

struct Echo: Riblet {
  static let typeName = "Echo"
  enum InternalAction { case heard(Int) }

  let clock: ManualClock
  let topic: Topic<Int>

  func makeState() -> Int { 0 }

  func didBecomeActive(_ state: inout Int) -> Effect<Self> {
    .merge(
      .observe(topic, id: "ears") { .heard($0) },
      .run(id: "sleep") { [clock] _ in try await clock.sleep(for: .seconds(60)) })
  }

  func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> {
    guard case .heard(let number) = internalAction else { return .none }
    state = number
    return .publish(number &+ 1, to: topic)
  }

  func view(_ state: Int) -> Int { state }
}
