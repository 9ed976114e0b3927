// The riblet of the article "Snapshots", and a test that it comes back.
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
  let after = try TestSession(riblet, restoring: before.saved())
  precondition(after.losses.isEmpty)
  precondition(after.view["nodes"]?["1"]?["state"]?["problem"] == .string("The upload was interrupted."))
}
