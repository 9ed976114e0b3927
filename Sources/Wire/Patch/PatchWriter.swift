/// Writes a patch, operation by operation, as the elements of a JSON array.
///
/// The place is kept as a path that grows and shrinks while a difference is looked for; its text is escaped when a token
/// is added, so an operation only copies it. Nothing is written before something differs.
public struct PatchWriter: Sendable {
  /// The operations, each a value of the array that the caller opens and closes.
  package private(set) var json = JSONWriter()
  /// How many operations were written.
  public private(set) var count = 0
  /// The path in JSON-escaped form, without quotes.
  private var path: [UInt8] = []

  /// A writer at the document's root.
  public init() {}

  /// Forgets the operations and the path, and keeps the memory.
  package mutating func removeAll() {
    json.removeAll()
    path.removeAll(keepingCapacity: true)
    count = 0
  }

  // MARK: Place

  /// Does something one step deeper.
  ///
  /// - Parameters:
  ///   - token: the member's key.
  ///   - body: works with the longer path.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  public mutating func at<Result, Failure: Error>(
    _ token: String, _ body: (inout PatchWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let length = enter(token)
    defer { leave(to: length) }
    return try body(&self)
  }

  /// Does something one step deeper.
  ///
  /// - Parameters:
  ///   - index: the element's index, or a member's key that is a number.
  ///   - body: works with the longer path.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  public mutating func at<Result, Failure: Error>(
    _ index: Int, _ body: (inout PatchWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let length = enter(index)
    defer { leave(to: length) }
    return try body(&self)
  }

  /// Makes the path longer.
  ///
  /// - Returns: its length before.
  @usableFromInline
  mutating func enter(_ token: String) -> Int {
    let length = path.count
    path.append(UInt8(ascii: "/"))
    JSONWriter.escape(token, into: &path)
    let hasSpecials = path[(length + 1)...].contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
    if hasSpecials {
      leave(to: length + 1)
      JSONWriter.escape(JSONPointer.escape(token), into: &path)
    }
    return length
  }

  @usableFromInline
  mutating func enter(_ index: Int) -> Int {
    let length = path.count
    path.append(UInt8(ascii: "/"))
    JSONWriter.append(index, to: &path)
    return length
  }

  @usableFromInline
  mutating func leave(to length: Int) { path.removeSubrange(length...) }

  // MARK: Operations

  /// Adds a value at the current place.
  ///
  /// - Parameter value: writes the value.
  /// - Throws: what `value` throws; the operation is taken back then.
  public mutating func add<Failure: Error>(_ value: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try operation(#"{"op":"add","path":"#, value)
  }

  /// Puts a value in the place of the one at the current place.
  ///
  /// - Parameter value: writes the value.
  /// - Throws: what `value` throws; the operation is taken back then.
  public mutating func replace<Failure: Error>(_ value: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try operation(#"{"op":"replace","path":"#, value)
  }

  /// Takes away the value at the current place.
  public mutating func remove() {
    json.raw(#"{"op":"remove","path":"#)
    json.escapedString(path)
    json.endObject()
    count += 1
  }

  /// Moves an element of the array at the current place (RFC 6902 §4.4).
  ///
  /// - Parameters:
  ///   - from: its index.
  ///   - index: its index afterwards.
  public mutating func move(from: Int, to index: Int) {
    let length = enter(from)
    json.raw(#"{"op":"move","from":"#)
    json.escapedString(path)
    leave(to: length)
    _ = enter(index)
    json.raw(#""path":"#)
    json.escapedString(path)
    leave(to: length)
    json.endObject()
    count += 1
  }

  /// Writes operations or, if they are two or more and it is shorter, one that replaces the whole value at the current
  /// place.
  ///
  /// - Parameters:
  ///   - operations: writes what differs within the value.
  ///   - value: writes the value as it shall be, or its beginning once `JSONWriter.isFull` holds.
  /// - Throws: what either throws; the caller gives up the patch then.
  public mutating func shorter<Failure: Error>(
    _ operations: (inout PatchWriter) throws(Failure) -> Void,
    thanReplacing value: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let (start, before) = (json.count, count)
    try operations(&self)
    guard count - before > 1 else { return }
    let end = json.count
    // The first operation may have no comma before it, the replacement has one.
    let comma = json.bytes[start] == UInt8(ascii: ",") ? 0 : 1
    let limit = json.limit
    json.limit = min(limit, end + (end - start) + comma)
    defer { json.limit = limit }
    try replace(value)
    if json.isFull || json.count - end >= end - start + comma {
      json.truncate(to: end)
      count -= 1
    } else {
      json.removeSubrange(start..<(end + comma))
      count = before + 1
    }
  }

  private mutating func operation<Failure: Error>(
    _ start: StaticString, _ value: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let length = json.count
    json.raw(start)
    json.escapedString(path)
    json.raw(#""value":"#)
    do {
      try value(&json)
    } catch {
      json.truncate(to: length)
      throw error
    }
    json.endObject()
    count += 1
  }
}
