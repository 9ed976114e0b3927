// The README's riblet and server.
import Logging
import RibCore
import RibServer
import ServiceLifecycle
import UnixSignals

struct Counter: Riblet {
  static let typeName = "Counter"
  enum ViewAction: Decodable { case increment, decrement, reset }
  struct ViewState: Encodable, Equatable { var count: Int, isNegative: Bool }

  func makeState() -> Int { 0 }

  func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .increment: count += 1
    case .decrement: count -= 1
    case .reset: count = 0
    }
    return .none
  }

  func view(_ count: Int) -> ViewState { ViewState(count: count, isNegative: count < 0) }
}

Server.prepareProcess()
let logger = Logger(label: "my-app")
let server = Server(apps: [App("counter") { Counter() }], logger: logger)
try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
