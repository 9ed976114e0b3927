/// What a store has of one node's state, and what it still has to be given.
///
/// A state is stored as a base, the whole state at some time, and the changes since, one for each cut. Changes that
/// outgrow their base are replaced by a new base: so a store writes at most twice what changed, and reads at most twice
/// as much as the base.
///
/// | state       | a whole state  | operations         | a cut                                         |
/// |-------------|----------------|--------------------|-----------------------------------------------|
/// | `unwritten` | `rewritten`    | never              | not before there was a whole state            |
/// | `written`   | `rewritten` *  | `changed`          | `unchanged`, stays `written`                  |
/// | `changed`   | `rewritten`    | `changed`, more    | the change; `written`                         |
/// | `replaced`  | `rewritten` *  | never: it is small | the state; `written`                          |
/// | `rewritten` | `rewritten`    | `rewritten`, more  | the base, a change if there is one; `written` |
///
/// \* `replaced` instead, if both states are small and the store has no changes.
struct StateLog {
  private enum State {
    /// The store has no base yet, so that there can be no changes.
    case unwritten
    /// The store has everything.
    case written
    /// The store has to append these operations as a change: an array without its closing bracket.
    case changed([UInt8])
    /// The store has to replace a small state with this one.
    case replaced([UInt8])
    /// The store has to replace the base and its changes, and then to append the operations, if there are any.
    case rewritten(base: [UInt8], operations: [UInt8])
  }

  private var state = State.unwritten
  /// The bytes of the base; ``changesSize`` counts those of the changes since.
  private(set) var baseSize = 0
  private(set) var changesSize = 0
  /// The number of the base's last change that was cut; 0 for none.
  private var sequence = 0

  /// A state that no store has.
  init() {}

  /// A state that a store has.
  ///
  /// - Parameters:
  ///   - size: the bytes of the whole state.
  ///   - changes: the changes from which the store has put the state together.
  init(storedSize size: Int, changes: StoredChanges) {
    state = .written
    baseSize = size
    changesSize = changes.size
    sequence = changes.last
  }

  /// The greatest number of bytes that the state can have.
  var sizeBound: Int { baseSize + changesSize }

  /// Whether the store has the state, or is going to be given it.
  var isWritten: Bool {
    if case .unwritten = state { false } else { true }
  }

  /// Whether the next change is to be written as a whole state, without looking for the difference.
  var needsWhole: Bool { !isWritten || baseSize <= StateCut.smallSize }

  /// Whether so many more bytes of operations still fit: all changes together may not outgrow the base.
  func takes(_ count: Int) -> Bool { changesSize + count <= baseSize }

  /// Takes a whole state as the new base.
  mutating func rewrite(_ base: [UInt8]) {
    let areSmall = max(baseSize, base.count) <= StateCut.smallSize && sequence == 0
    baseSize = base.count
    changesSize = 0
    switch state {
    case .written where areSmall, .replaced where areSmall: state = .replaced(base)
    default: state = .rewritten(base: base, operations: [])
    }
  }

  /// Takes the operations that turn the last state into the present one.
  ///
  /// - Parameter operations: an array without its closing bracket.
  mutating func append(_ operations: [UInt8]) {
    changesSize += operations.count
    let before = state
    // Moved out of the property, so that appending copies nothing.
    state = .written
    switch before {
    case .unwritten, .replaced: preconditionFailure("a state that was never written whole, or is small, has no changes")
    case .written: state = .changed(operations)
    case .changed(var earlier):
      Self.join(&earlier, operations)
      state = .changed(earlier)
    case .rewritten(let base, var earlier):
      Self.join(&earlier, operations)
      state = .rewritten(base: base, operations: earlier)
    }
  }

  private static func join(_ earlier: inout [UInt8], _ operations: [UInt8]) {
    if earlier.isEmpty {
      earlier = operations
    } else {
      earlier.append(UInt8(ascii: ","))
      earlier.append(contentsOf: operations.dropFirst())
    }
  }

  /// Returns what the store has to be given, after which the store has everything.
  mutating func takeCut() -> StateCut {
    let before = state
    guard case .unwritten = before else {
      state = .written
      switch before {
      case .changed(let operations): return .changed([change(operations)])
      case .replaced(let state): return .replaced(state)
      case .rewritten(let base, let operations):
        sequence = 0
        return .rewritten(base: base, changes: operations.isEmpty ? [] : [change(operations)])
      case .unwritten, .written: return .unchanged
      }
    }
    preconditionFailure("a state is written whole before it is cut for the first time")
  }

  private mutating func change(_ operations: [UInt8]) -> StatePatch {
    sequence += 1
    var operations = operations
    operations.append(UInt8(ascii: "]"))
    return StatePatch(sequence: sequence, operations: operations)
  }
}
