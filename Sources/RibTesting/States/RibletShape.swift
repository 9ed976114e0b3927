import RibCore
import RibSchema
import Wire

/// The shape of the state of one type of riblet, as the program has it now.
struct RibletShape {
  /// The riblet's type name.
  let typeName: String
  /// The Swift type of the state, for messages.
  let stateName: String
  /// The version of the state's shape.
  let version: Int
  /// Whether the state is a part of the parent's, and is saved and migrated with that.
  let isPart: Bool
  /// The shape as JSON Schema, and values of it; nil for a state that is not saved by itself: a part of its parent's, one of type
  /// `Void`, or one that is not `Codable`.
  let saved: Saved?
  /// Reads a saved state, and migrates it if the version is a former one.
  let read: (_ state: JSONValue, _ version: Int) throws(RestoreFailure) -> Void
  /// Starts a tree of the riblet alone for each of its examples, and shows each riblet in it to a visitor.
  let explore: (any RibletVisitor) -> Void

  /// Examples of such states, as a store has them.
  struct Saved {
    let schema: JSONValue
    let examples: [JSONValue]
    /// Why a part of the shape is not known; nil if all of it is.
    let gap: String?
  }

  /// The shape of a riblet's state.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - isEmbedded: whether the state is a part of its parent's.
  init<R: Riblet>(_ riblet: R, isEmbedded: Bool) {
    typeName = R.typeName
    stateName = "\(R.State.self)"
    version = R.stateVersion
    isPart = isEmbedded
    read = { state, version throws(RestoreFailure) in _ = try riblet.restoredState(state.text, version: version) }
    guard !isEmbedded, R.State.self != Void.self, let type = R.State.self as? any (Decodable & Encodable).Type else {
      saved = nil
      explore = { RibletShape.start(riblet, given: nil, showing: $0) }
      return
    }
    let found = Self.examples(of: type, initial: riblet.makeState())
    saved = Saved(schema: found.schema.json, examples: found.examples.map(\.json), gap: found.schema.gap)
    explore = { visitor in
      RibletShape.start(riblet, given: nil, showing: visitor)
      for case let state as R.State in found.examples.map(\.state) {
        RibletShape.start(riblet, given: state, showing: visitor)
      }
    }
  }

  private struct Example {
    let state: Any
    let json: JSONValue
  }

  /// The greatest number of examples of one state.
  private static let exampleLimit = 16

  /// Makes up states: in each, all is there that may be, and each enum has another case; the last has as little as possible.
  ///
  /// Of a state that refuses all of that, the one that the riblet begins with is the example.
  private static func examples<State: Codable>(
    of type: State.Type, initial: Any
  ) -> (schema: JSONSchema, examples: [Example]) {
    let schema = JSONSchema(decoding: type)
    let base = (initial as? State).flatMap { Self.json(of: $0) }
    let full = (0..<min(schema.caseCount, exampleLimit - 1)).map { schema.example($0, isFull: true, base: base) }
    var examples: [Example] = []
    for case let candidate? in full + [schema.example(0, isFull: false, base: base)] {
      // As the store would have the state: with what its own coding makes of it.
      guard let state = decode(type, candidate), let json = Self.json(of: state),
        !examples.contains(where: { $0.json == json })
      else { continue }
      examples.append(Example(state: state, json: json))
    }
    if examples.isEmpty, let base { examples = [Example(state: initial, json: base)] }
    return (schema, examples)
  }

  private static func json(of state: some Encodable) -> JSONValue? {
    guard let bytes = try? StateCoder.encode(state) else { return nil }
    return try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
  }

  private static func decode<State: Decodable>(_ type: State.Type, _ json: JSONValue) -> State? {
    try? StateCoder.decode(type, from: try StateCoder.read(json.text))
  }

  /// Attaches the riblet and its children; effects are not started.
  ///
  /// A tree that is refused has shown its riblets all the same.
  private static func start<R: Riblet>(_ riblet: R, given state: R.State?, showing visitor: any RibletVisitor) {
    let tree = Tree(testing: riblet, given: state, onOutput: { _ in })
    tree.visitor = visitor
    _ = try? tree.start(rendering: ViewRenderer())
  }
}
