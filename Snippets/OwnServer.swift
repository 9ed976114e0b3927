// The server of the article "A server of your own".
import Foundation
import Logging
import RibCore
import RibServer
import ServiceLifecycle
import UnixSignals

/// Shows how many sessions there are.
struct Room: Riblet {
  static let typeName = "Room"
  enum InternalAction { case changed(Int) }
  struct ViewState: Encodable, Equatable { let members: Int }

  let session: String
  let members: SharedValue<Set<String>>

  func makeState() -> Int { 0 }

  func didBecomeActive(_ count: inout Int) -> Effect<Self> {
    .merge(
      .update(members) { [session] in $0.insert(session) },
      .observe(members, id: "members") { .changed($0.count) })
  }

  func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .changed(let new): count = new
    }
    return .none
  }

  func view(_ count: Int) -> ViewState { ViewState(members: count) }
}

/// Keeps a shared value in a file.
struct Keeper<Value: Codable & Sendable>: Service {
  let value: SharedValue<Value>
  let file: URL

  init(_ file: URL, otherwise first: Value) throws {
    self.file = file
    guard FileManager.default.fileExists(atPath: file.path) else {
      value = SharedValue(first)
      return
    }
    value = SharedValue(try JSONDecoder().decode(Value.self, from: try Data(contentsOf: file)))
  }

  func run() async throws {
    for await new in value.subscribe().cancelOnGracefulShutdown() { try write(new) }
    // The server has stopped by now: this is the last one.
    try write(value.value)
  }

  private func write(_ new: Value) throws { try JSONEncoder().encode(new).write(to: file, options: .atomic) }
}

Server.prepareProcess()
let logger = Logger(label: "room")
let keeper = try Keeper<Set<String>>(URL(fileURLWithPath: "members.json"), otherwise: [])
let members = keeper.value

var settings = ServerSettings()
settings.port = 9000
settings.publicURL = "https://room.example.com"
settings.store = .sqlite
settings.stateDirectory = "room-state"

let app = App("room") { context in
  Room(session: context.id, members: members)
}.onEnd { session in
  members.update { $0.remove(session.id) }
}
let server = Server(apps: [app], settings: settings, logger: logger)
// They end in the other order.
let group = ServiceGroup(
  services: [keeper, server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
try await group.run()
