import Wire

/// Writes the state of one node for a store, in the transaction that changes it: what cannot be saved is not committed.
class StateWriter {
  /// What the store has and lacks.
  final var log = StateLog()

  /// Writes the whole state as it is before the transaction.
  func writeCommitted(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }
  /// Writes the whole state.
  func write(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }
  /// Writes the operations that make the state of what it was before the transaction.
  func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }
  /// Whether the state is known to be what it was before the transaction.
  var isSame: Bool { preconditionFailure("abstract") }
  /// Whether what differs between two states can be found: an object is its own earlier state.
  var isValue: Bool { preconditionFailure("abstract") }
}

/// A state and how it is encoded.
final class CellStateWriter<State: Encodable>: StateWriter {
  private let cell: OwnedCell<State>

  init(_ cell: OwnedCell<State>) { self.cell = cell }

  override func writeCommitted(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    try encoder.write(cell.committed, into: &json)
  }

  override func write(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    try encoder.write(cell.current, into: &json)
  }

  override func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    try encoder.writeDifference(from: cell.committed, to: cell.current, into: &patch)
  }

  override var isSame: Bool { haveSameBits(cell.committed, cell.current) }
  override var isValue: Bool { !(State.self is AnyObject.Type) }
}

/// What a transaction writes for the store, until it is committed.
struct StateDrafts {
  private struct Draft {
    let node: AnyNode
    let writer: StateWriter
    let isWhole: Bool
    /// A whole state, or an array of operations without its closing bracket.
    let json: [UInt8]
  }

  private let encoder = StateCoder.makeEncoder()
  private var json = JSONWriter()
  private var patch = PatchWriter()
  private var drafts: [Draft] = []

  /// Forgets what was written.
  mutating func removeAll() { drafts.removeAll(keepingCapacity: true) }

  /// Writes what has changed in a node's state.
  ///
  /// - Returns: the size of the whole state, if it had to be written.
  mutating func add(_ node: AnyNode, _ writer: StateWriter) throws(RecordingError) -> Int? {
    guard !writer.log.needsWhole, writer.isValue else {
      return !writer.log.isWritten || !writer.isValue || !writer.isSame ? try addWhole(node, writer) : nil
    }
    patch.removeAll()
    try writer.writeDifference(into: &patch, encoder)
    guard patch.count > 0 else { return nil }
    let size = patch.json.count + 1
    guard writer.log.takes(size), writer.log.sizeBound + size <= Tree.stateLimit else {
      return try addWhole(node, writer)
    }
    var operations: [UInt8] = []
    operations.reserveCapacity(size + 1)
    operations.append(UInt8(ascii: "["))
    operations.append(contentsOf: patch.json.bytes)
    drafts.append(Draft(node: node, writer: writer, isWhole: false, json: operations))
    return nil
  }

  private mutating func addWhole(_ node: AnyNode, _ writer: StateWriter) throws(RecordingError) -> Int {
    defer { shrink() }
    json.removeAll()
    try writer.write(into: &json, encoder)
    // A copy of just its size: the log keeps it for a while, and the writer its memory.
    let copy = json.bytes.withUnsafeBufferPointer { Array($0) }
    drafts.append(Draft(node: node, writer: writer, isWhole: true, json: copy))
    return json.count
  }

  /// Gives back what a large state took.
  private mutating func shrink() {
    if json.count > 1 << 16 { json = JSONWriter() }
  }

  /// Hands what was written to the nodes' logs, and has them be cut.
  mutating func commit(in tree: Tree) {
    for draft in drafts {
      if draft.isWhole { draft.writer.log.rewrite(draft.json) } else { draft.writer.log.append(draft.json) }
      tree.noteChange(draft.node, .state)
    }
    removeAll()
  }

  // MARK: Restored states

  /// Takes note that a store has the state of a node that was restored, if that is how it would be written.
  ///
  /// It is not if its shape has changed and the old one still decodes: a change would not be one of what is stored then.
  mutating func adopt(_ saved: NodeSnapshot, _ writer: StateWriter) throws(RecordingError) {
    guard let text = saved.state, writer.isValue else { return }
    defer { shrink() }
    json.removeAll()
    try writer.writeCommitted(into: &json, encoder)
    guard isSame(text, isFolded: saved.changes.last > 0) else { return }
    writer.log = StateLog(storedSize: text.utf8.count, changes: saved.changes)
  }

  /// Whether a text is what was just written; one that was put together of changes has its members in another order.
  private func isSame(_ text: String, isFolded: Bool) -> Bool {
    guard isFolded else { return text.utf8.elementsEqual(json.bytes) }
    let written = String(decoding: json.bytes, as: UTF8.self)
    return (try? StateCoder.normalized(written)).map { $0.utf8.elementsEqual(text.utf8) } ?? false
  }
}
