// The riblets of the article "Composition", and tests of them.
import RibCore
import RibServer
import RibTesting
import Testing
import Wire

/// How often users did something, whatever it was.
protocol Usage: Sendable {
  func count(_ riblet: String)
}

/// Counts the actions of the riblet that has it.
func counting<Source: Riblet>(_ usage: some Usage) -> Reducer<Source> {
  Reducer { _, event in
    if case .viewAction = event { usage.count(Source.typeName) }
    return .none
  }
}

struct Library<Counter: Usage>: Riblet {
  static var typeName: String { "Library" }
  struct State: Codable {
    var query = ""
    var page = 1
    var hits: [String] = []
  }
  enum ViewAction: Decodable { case queryChanged(String), nextTapped, resetTapped }
  enum InternalAction { case found([String]) }

  let find: @Sendable (String, Int) async throws -> [String]
  let usage: Counter

  var reducers: [Reducer<Self>] {
    [
      .onChange(of: \.query) { _, _, state in
        state.page = 1
        return .none
      },
      .onChange(of: { [$0.query, "\($0.page)"] }) { _, _, state in load(state) },
      counting(usage),
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .queryChanged(let text): state.query = text
    case .nextTapped: state.page += 1
    case .resetTapped: state = State()
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .found(let hits): state.hits = hits
    }
    return .none
  }

  private func load(_ state: State) -> Effect<Self> {
    .run(id: "load", cancelInFlight: true) { [find, query = state.query, page = state.page] send in
      await send(.found(try await find(query, page)))
    }
  }

  func view(_ state: State) -> [String] { state.hits }
}

struct Silent: Usage {
  func count(_ riblet: String) {}
}

let app = App("library") { Library(find: { _, _ in [] }, usage: Silent()) }
  .middleware { action, session in
    guard case .viewAction = action.kind, action.riblet == "Library" else { return .pass }
    return maintenance.isOn ? .refuse("The library is closed for an hour.") : .pass
  }

struct Maintenance { let isOn: Bool }
let maintenance = Maintenance(isOn: false)

func newQuery_beginsWithTheFirstPage() async throws {
  let session = try TestSession(Library(find: { ["\($0) \($1)"] }, usage: Silent()))
  try session.act(#"{"queryChanged":"swift"}"#)
  try await session.runNextEffect()
  try session.act(#""nextTapped""#)
  try await session.runNextEffect()
  precondition(session.viewState(at: "") == .array([.string("swift 2")]))
  try session.act(#"{"queryChanged":"rib"}"#)
  try await session.runNextEffect()
  precondition(session.viewState(at: "") == .array([.string("rib 1")]))
}
