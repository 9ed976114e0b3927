import RibCore
import RibServer
import RibTesting
import Synchronization
import Wire

@testable import RibInspector

/// The server that an inspector under test sees, with a list of the operations that it was asked for.
final class Panel: Sendable {
  struct State {
    var overview = ServerOverview()
    var list = SessionList()
    var detail: SessionDetail?
    var lines: [LogLine] = []
    /// How often each thing was looked at, by its name.
    var looks: [String: Int] = [:]
    /// The looks that go on, by the name of what they are at.
    var open: [String: Int] = [:]
    var searches: [SessionSearch] = []
    var performed: [Performed] = []
    /// Thrown by each look and each operation; nil for none.
    var failure: InspectionError?
  }

  struct Performed: Equatable {
    let operation: Operation
    let name: String
  }

  let state = Mutex(State())

  /// How often something was looked at.
  func looks(at name: String) -> Int { state.withLock { $0.looks[name] ?? 0 } }
  /// How many looks at something go on.
  func openLooks(at name: String) -> Int { state.withLock { $0.open[name] ?? 0 } }
  /// The operations that were done.
  var performed: [Performed] { state.withLock { $0.performed } }

  private func look<Value: Sendable>(_ name: String, _ value: @escaping @Sendable (inout State) -> Value) -> Look<Value>
  {
    state.withLock { $0.open[name, default: 0] += 1 }
    return Look(end: { self.state.withLock { $0.open[name, default: 0] -= 1 } }) {
      try self.state.withLock { state in
        state.looks[name, default: 0] += 1
        if let failure = state.failure { throw failure }
        return value(&state)
      }
    }
  }

  /// The service.
  func service(offers: Bool = true) -> InspectorService {
    InspectorService(
      overview: { self.look("overview") { $0.overview } },
      sessions: { search in
        self.look("sessions") { state in
          state.searches.append(search)
          return state.list
        }
      },
      session: { id, name in self.look("session \(id) by \(name)") { $0.detail } },
      riblets: { self.look("riblets") { _ in RibletReport() } },
      store: { self.look("store") { _ in StoreReport() } },
      signIn: { self.look("signIn") { _ in SignInReport() } },
      settings: { self.look("settings") { _ in [SettingReport(id: "port", value: "1", source: nil, summary: "")] } },
      log: { self.look("log") { LogReport(lines: $0.lines, written: WrittenLevel("info", secondsLeft: nil)) } },
      crashes: { self.look("crashes") { _ in CrashSummary() } },
      apps: ["counter", "members"], showsState: { false }, offers: { _ in offers },
      perform: { operation, name in
        try self.state.withLock { state in
          if let failure = state.failure { throw failure }
          state.performed.append(Performed(operation: operation, name: name))
        }
        return "Done."
      })
  }
}

extension TestSession {
  /// The node in a slot of the root, as the view has it; nil if the slot is empty.
  func node(at route: String) -> JSONValue? {
    guard case .array(let ids)? = view["nodes"]?["1"]?["children"]?[route]?["ids"], case .integer(let id)? = ids.first
    else { return nil }
    return view["nodes"]?["\(id)"]
  }
}

extension JSONValue {
  /// The text; nil if it is none.
  var string: String? { if case .string(let text) = self { text } else { nil } }
}
