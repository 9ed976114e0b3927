/// Writes a patch, operation by operation, as the elements of a JSON array.
///
/// While a difference is looked for, the writer keeps its place as a path that grows and shrinks. The path is escaped
/// token by token, so that an operation only copies it. Nothing is written before something differs.
public struct PatchWriter: Sendable {
  /// The operations, as elements of an array whose brackets the caller writes.
  package private(set) var json = JSONWriter()
  /// The number of operations written.
  public private(set) var count = 0
  /// The path of the current place, escaped for JSON, without quotes.
  private var path: [UInt8] = []

  /// A writer whose place is the root of the document.
  public init() {}

  /// Forgets the operations and the path, and keeps the memory.
  package mutating func removeAll() {
    json.removeAll()
    path.removeAll(keepingCapacity: true)
    count = 0
  }

  // MARK: Place

  /// Calls `body` with the path longer by a member's key, and shortens the path again.
  @inlinable
  public mutating func at<Result, Failure: Error>(
    _ token: String, _ body: (inout PatchWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let length = enter(token)
    defer { leave(to: length) }
    return try body(&self)
  }

  /// Calls `body` with the path longer by an element's index, or by a member's key that is a number, and shortens the
  /// path again.
  @inlinable
  public mutating func at<Result, Failure: Error>(
    _ index: Int, _ body: (inout PatchWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let length = enter(index)
    defer { leave(to: length) }
    return try body(&self)
  }

  /// Appends a token to the path, and returns the path's length before.
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

  /// Writes an `add` at the current place, with the value that `value` writes.
  ///
  /// - Throws: what `value` throws; the operation is taken back then.
  public mutating func add<Failure: Error>(_ value: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try operation(#"{"op":"add","path":"#, value)
  }

  /// Writes a `replace` of the current place, with the value that `value` writes.
  ///
  /// - Throws: what `value` throws; the operation is taken back then.
  public mutating func replace<Failure: Error>(_ value: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try operation(#"{"op":"replace","path":"#, value)
  }

  /// Writes a `remove` of the current place.
  public mutating func remove() {
    json.raw(#"{"op":"remove","path":"#)
    json.escapedString(path)
    json.endObject()
    count += 1
  }

  /// Writes a `move` of an element within the array at the current place (RFC 6902 §4.4).
  ///
  /// - Parameters:
  ///   - from: the element's index before.
  ///   - index: the element's index once it is taken out and inserted again.
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

  /// Writes operations; if they are two or more, and a single `replace` of the current place is shorter, writes that
  /// instead.
  ///
  /// - Parameters:
  ///   - operations: writes what differs within the value.
  ///   - value: writes the new value; it may stop once `isFull` holds, as it is too long then.
  /// - Throws: what either throws; the caller gives up the patch then.
  public mutating func shorter<Failure: Error>(
    _ operations: (inout PatchWriter) throws(Failure) -> Void,
    thanReplacing value: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let (start, before) = (json.count, count)
    try operations(&self)
    guard count - before > 1 else { return }
    let end = json.count
    // The first operation may have no comma before it, while the replacement always has one.
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
