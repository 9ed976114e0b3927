import RibCore
import Wire

/// Lines to which more are added, and which calls lines the same that are equal, as no hand-written difference may.
struct Growing: Riblet {
  static let typeName = "Growing"

  struct Log: ViewDifferentiable, Equatable {
    let lines: [String]

    func encode(to encoder: any Encoder) throws { try lines.encode(to: encoder) }

    func writeDifference(
      from old: Log, into patch: inout PatchWriter, using encoder: ViewEncoder
    ) throws(CaptureError) {
      for index in old.lines.count..<lines.count {
        try patch.at(index) { patch throws(CaptureError) in
          try patch.add { json throws(CaptureError) in try encoder.write(lines[index], into: &json) }
        }
      }
    }
  }

  struct State: Codable { var lines: [String] }
  enum ViewAction: Decodable { case add(String), rewrite(String) }
  struct ViewState: Encodable, Equatable { let log: Log }

  func makeState() -> State { State(lines: []) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .add(let line): state.lines.append(line)
    case .rewrite(let line): state.lines[0] = line
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(log: Log(lines: state.lines)) }
}
