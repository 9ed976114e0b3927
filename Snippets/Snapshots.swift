// The riblet of the article "Snapshots", a test that it comes back, and a store.
import RibCore
import RibTesting
import Testing
import Wire

struct Upload: Riblet {
  static let typeName = "Upload"
  static let stateVersion = 2
  struct State: Codable {
    var file: String?
    var progress = Status<Int>.idle
  }
  enum ViewAction: Decodable { case fileChosen(String) }
  enum InternalAction { case done(Int), failed }
  struct ViewState: Encodable, Equatable { let problem: String? }

  let upload: @Sendable (_ file: String, _ key: IdempotencyKey) async throws -> Int

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .fileChosen(let file):
      state.file = file
      state.progress = .loading
      return .run(id: "upload", cancelInFlight: true) { [upload] send in
        guard let size = try? await upload(file, send.idempotencyKey) else { return await send(.failed) }
        await send(.done(size))
      }
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .done(let size): state.progress = .loaded(size)
    case .failed: state.progress = .failed("The upload did not work.")
    }
    return .none
  }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    if interrupted.contains(id: "upload") { state.progress = .failed("The upload was interrupted.") }
    return .none
  }

  func migrate(_ saved: SavedState, from version: Int) throws -> State {
    struct FirstState: Decodable { let fileName: String }
    return State(file: try saved.decode(FirstState.self).fileName)
  }

  func view(_ state: State) -> ViewState {
    switch state.progress {
    case .failed(let problem): ViewState(problem: problem)
    default: ViewState(problem: nil)
    }
  }
}

func interruptedUpload_showsThatItFailed() throws {
  let riblet = Upload { _, _ in 0 }
  let before = try TestSession(riblet)
  try before.act(#"{"fileChosen":"holiday.png"}"#)
  let after = try TestSession(riblet, restoring: before.tree.snapshot())
  precondition(after.restoreReport?.restored == [1])
  precondition(after.view["nodes"]?["1"]?["state"]?["problem"] == .string("The upload was interrupted."))
}

struct Rows {
  private var bases: [NodeID: [UInt8]] = [:]
  private var changes: [NodeID: [Int: [UInt8]]] = [:]

  mutating func write(_ tree: Tree) {
    let cut = tree.takeCut()
    for id in cut.removed { (bases[id], changes[id]) = (nil, nil) }
    for node in cut.changed {
      switch node.state {
      case .none, .unchanged: break
      case .replaced(let state): bases[node.id] = state
      case .rewritten(let base, let later):
        bases[node.id] = base
        changes[node.id] = [:]
        append(later, to: node.id)
      case .changed(let later): append(later, to: node.id)
      }
    }
  }

  private mutating func append(_ later: [StatePatch], to node: NodeID) {
    for change in later { changes[node, default: [:]][change.sequence] = change.operations }
  }
}

func wake(_ snapshot: TreeSnapshot, upload: @escaping @Sendable (String, IdempotencyKey) async throws -> Int) throws {
  let tree = Tree(root: Upload(upload: upload), session: "42")
  let (commands, report) = try tree.restore(snapshot, rendering: ViewRenderer())
  for failure in report.lost { print(failure) }
  print("\(commands.count) effects to start")
}
