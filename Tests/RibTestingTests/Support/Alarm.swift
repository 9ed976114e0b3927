import RibCore
import RibTesting

struct Alarm: Riblet {
  static let typeName = "Alarm"
  enum InternalAction { case rang(String) }

  let clock: ManualClock
  var stream = AsyncStream<String> { $0.finish() }

  func makeState() -> String { "" }

  func didBecomeActive(_ state: inout String) -> Effect<Self> {
    .run(id: "alarm") { [clock, stream] send in
      try await clock.sleep(for: .zero)
      for await text in stream {
        try await clock.sleep(for: .seconds(1))
        await send(.rang("\(text) at \(clock.now.offset)"))
      }
    }
  }

  func reduce(into state: inout String, internalAction: InternalAction) -> Effect<Self> {
    if case .rang(let text) = internalAction { state = text }
    return .none
  }

  func view(_ state: String) -> String { state }
}
