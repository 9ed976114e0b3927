import RibCore

/// Shows one value after the other.
struct Slides<Value: Encodable & Equatable & Sendable>: Riblet {
  static var typeName: String { "Slides" }
  enum ViewAction: Decodable { case skip(Int) }
  enum InternalAction: Sendable { case next(Int) }

  let values: [Value]
  let journal: Journal

  init(_ values: [Value], journal: Journal = Journal()) {
    self.values = values
    self.journal = journal
  }

  func makeState() -> Int { 0 }

  func reduce(into index: inout Int, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .skip(let count): .send(.next(count))
    }
  }

  func reduce(into index: inout Int, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .next(0): return .none
    case .next(let count):
      index += 1
      return .send(.next(count - 1))
    }
  }

  func view(_ index: Int) -> Value {
    journal.note("view \(values[index])")
    return values[index]
  }
}
