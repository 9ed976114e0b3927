import RibCore
import RibSchema
import Wire

/// The first state of a riblet that gives none.
private func madeUp<State: Decodable>(_ type: State.Type) -> State {
  guard let example = JSONSchema(decoding: type).example(0, isFull: false, base: nil),
    let json = try? StateCoder.read(example.text), let state = try? StateCoder.decode(type, from: json)
  else { preconditionFailure("a test gives the first state of a \(type)") }
  return state
}

/// A riblet with some state and nothing else.
struct Saved<State: Codable & Sendable>: Riblet {
  static var typeName: String { "Saved" }
  var initial: State?

  func makeState() -> State { initial ?? madeUp(State.self) }
  func view(_ state: State) -> Int { 0 }
}

/// The same with a state that is not saved.
struct Unsaved: Riblet {
  static let typeName = "Saved"
  struct State { var count = 0 }

  func makeState() -> State { State() }
  func view(_ state: State) -> Int { 0 }
}

/// The same in the second version of its state.
struct Migrated<State: Codable & Sendable>: Riblet {
  static var typeName: String { "Saved" }
  static var stateVersion: Int { 2 }
  let way: (SavedState, Int) throws -> State

  func makeState() -> State { madeUp(State.self) }
  func view(_ state: State) -> Int { 0 }
  func migrate(_ saved: SavedState, from version: Int) throws -> State { try way(saved, version) }
}

struct NoWay: Error { let version: Int }

/// An odd number, and none that is zero.
struct Odd: Codable {
  var value: Int

  init(value: Int) { self.value = value }

  init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Int.self)
    guard value % 2 != 0 else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "It is even."))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

/// One with a sample.
struct PositiveOdd: Codable, SampleProviding {
  var odd: Odd
  static var sample: PositiveOdd { PositiveOdd(odd: Odd(value: 1)) }

  init(odd: Odd) { self.odd = odd }
  init(from decoder: any Decoder) throws { odd = try Odd(from: decoder) }
  func encode(to encoder: any Encoder) throws { try odd.encode(to: encoder) }
}

/// Two children that a configuration tells apart, in a slot that is empty at first, and one whose state is a part of its own.
struct Parent: Riblet {
  static let typeName = "Parent"

  enum Side: Codable, Hashable { case left, right(depth: Int) }

  struct State: Codable {
    var side = Slot<Side>()
    var part = PartState()
  }

  struct PartState: Codable { var count = 0 }

  struct Part: Riblet {
    static let typeName = "Part"
    func makeState() -> PartState { PartState() }
    func view(_ state: PartState) -> Int { 0 }
  }

  struct Left: Riblet {
    static let typeName = "Left"
    struct State: Codable { var rows = Items<Int>() }
    var routes: [Route<Self>] { [Route("rows", \.rows) { Child(Saved<Int>(initial: $0)) }] }
    func makeState() -> State { State() }
    func view(_ state: State) -> Int { 0 }
  }

  struct Right: Riblet {
    static let typeName = "Right"
    func makeState() {}
    func view(_ state: Void) -> Int { 0 }
  }

  var routes: [Route<Self>] {
    [
      Route("side", \.side) { side in
        switch side {
        case .left: Child(Left())
        case .right: Child(Right())
        }
      },
      Route("part", \.part) { Child(Part()) },
    ]
  }

  func makeState() -> State { State() }
  func view(_ state: State) -> Int { 0 }
}
