// The riblet of the article "Transactions", and a view that finds its own differences.
import RibCore
import Wire

struct Chat: Riblet {
  static let typeName = "Chat"
  struct State: Codable { var lines: [String] = [] }
  enum ViewAction: Decodable { case said(String) }
  enum InternalAction { case noted(String) }
  struct ViewState: Encodable, Equatable { let log: Log }

  let deliver: @Sendable (String) async throws -> Void

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .said(let text):
      state.lines.append("1: \(text)")
      return .merge(
        .send(.noted("2: noted")),
        .run { [deliver] _ in try await deliver(text) },
        .send(.noted("3: noted as well")))
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .noted(let line): state.lines.append(line)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(log: Log(lines: state.lines)) }
}

/// Lines, to which more are added at the end.
struct Log: ViewDifferentiable, Equatable {
  let lines: [String]

  func encode(to encoder: any Encoder) throws { try lines.encode(to: encoder) }

  func writeDifference(
    from old: Log, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    guard lines.count >= old.lines.count, zip(lines, old.lines).allSatisfy({ $0.utf8.elementsEqual($1.utf8) }) else {
      return try encoder.writeDifference(from: old.lines, to: lines, into: &patch)
    }
    for index in old.lines.count..<lines.count {
      try patch.at(index) { patch throws(CaptureError) in
        try patch.add { json throws(CaptureError) in try encoder.write(lines[index], into: &json) }
      }
    }
  }
}
