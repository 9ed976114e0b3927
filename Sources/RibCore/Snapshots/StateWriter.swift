import Wire

/// Writes the state of one node for a store, within the transaction that changes it: a state that cannot be saved is
/// not committed.
class StateWriter {
  /// What the store has of the state, and what it lacks.
  final var log = StateLog()

  /// Writes the whole state as it was before the transaction.
  func writeCommitted(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    preconditionFailure("abstract")
  }
  /// Writes the whole state.
  func write(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    preconditionFailure("abstract")
  }
  /// Writes the operations that turn the state before the transaction into the present one.
  func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    preconditionFailure("abstract")
  }
  /// Whether the state certainly has not changed in the transaction.
  var isSame: Bool { preconditionFailure("abstract") }
  /// Whether two states can be compared: an object cannot, as it is its own earlier state.
  var isValue: Bool { preconditionFailure("abstract") }
}

/// Writes the state of a cell.
final class CellStateWriter<State: Encodable>: StateWriter {
  private let cell: OwnedCell<State>

  init(_ cell: OwnedCell<State>) { self.cell = cell }

  override func writeCommitted(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    try encoder.write(cell.committed, into: &json)
  }

  override func write(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    try encoder.write(cell.current, into: &json)
  }

  override func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    try encoder.writeDifference(from: cell.committed, to: cell.current, into: &patch)
  }

  override var isSame: Bool { haveSameBits(cell.committed, cell.current) }
  override var isValue: Bool { !(State.self is AnyObject.Type) }
}

/// What a transaction writes for the store, kept until the transaction is committed.
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

  /// Forgets all drafts.
  mutating func removeAll() { drafts.removeAll(keepingCapacity: true) }

  /// Drafts what the store has to be given of a node's state.
  ///
  /// - Returns: the bytes of the whole state, if that had to be written; nil otherwise.
  mutating func add(_ node: AnyNode, _ writer: StateWriter) throws(CaptureError) -> Int? {
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

  private mutating func addWhole(_ node: AnyNode, _ writer: StateWriter) throws(CaptureError) -> Int {
    defer { shrink() }
    json.removeAll()
    try writer.write(into: &json, encoder)
    // A copy of the exact size, as the log keeps it for a while; the writer keeps its memory.
    let copy = json.bytes.withUnsafeBufferPointer { Array($0) }
    drafts.append(Draft(node: node, writer: writer, isWhole: true, json: copy))
    return json.count
  }

  /// Frees the memory that a large state has taken.
  private mutating func shrink() {
    if json.count > 1 << 16 { json = JSONWriter() }
  }

  /// Hands the drafts to the logs of their nodes, and notes the nodes for the next cut.
  mutating func commit(in tree: Tree) {
    for draft in drafts {
      if draft.isWhole { draft.writer.log.rewrite(draft.json) } else { draft.writer.log.append(draft.json) }
      tree.noteChange(draft.node, .state)
    }
    removeAll()
  }

  // MARK: Restored states

  /// Notes that a store already has the state of a restored node, if the node's state would be written just so.
  ///
  /// It would not if the state's shape has changed and the old JSON still decodes: then a later change would not apply
  /// to what is stored.
  mutating func adopt(_ saved: NodeSnapshot, _ writer: StateWriter) throws(CaptureError) {
    guard let text = saved.state, writer.isValue else { return }
    defer { shrink() }
    json.removeAll()
    try writer.writeCommitted(into: &json, encoder)
    guard isSame(text, isFolded: saved.changes.last > 0) else { return }
    writer.log = StateLog(storedSize: text.utf8.count, changes: saved.changes)
  }

  /// Whether a stored text is what was just written; a text put together from changes has its members in another order.
  private func isSame(_ text: String, isFolded: Bool) -> Bool {
    guard isFolded else { return text.utf8.elementsEqual(json.bytes) }
    let written = String(decoding: json.bytes, as: UTF8.self)
    return (try? StateCoder.normalized(written)).map { $0.utf8.elementsEqual(text.utf8) } ?? false
  }
}
