import CPQ

/// The rows that a statement has returned, in binary format.
final class PostgresResult {
  private let result: OpaquePointer

  /// A result, which is let go of with this.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// How many rows there are.
  var count: Int { Int(PQntuples(result)) }

  /// The rows, in order.
  var rows: some Sequence<Row> {
    (0..<count).lazy.map { Row(result: self, index: Int32($0)) }
  }

  /// The first row; nil if there is none.
  var first: Row? { count > 0 ? Row(result: self, index: 0) : nil }

  /// How many rows a statement without `RETURNING` has changed.
  var changesCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// One row; columns are counted from 0.
  struct Row {
    fileprivate let result: PostgresResult
    fileprivate let index: Int32

    /// An `int8`; 0 for NULL.
    func integer(_ column: Int32) -> Int {
      guard let bytes = bytes(column), bytes.count == 8 else { return 0 }
      return Int(bytes.reduce(0) { $0 << 8 | Int64($1) })
    }

    /// A `bool`; false for NULL.
    func flag(_ column: Int32) -> Bool { bytes(column)?.first == 1 }

    /// A `text`, or a `bytea` that has one; empty for NULL.
    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    /// A `text`, or a `bytea` that has one; nil for NULL.
    func optionalText(_ column: Int32) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }

    /// Any value; nil for NULL.
    func bytes(_ column: Int32) -> [UInt8]? {
      guard PQgetisnull(result.result, index, column) == 0, let start = PQgetvalue(result.result, index, column) else {
        return nil
      }
      let count = Int(PQgetlength(result.result, index, column))
      return start.withMemoryRebound(to: UInt8.self, capacity: count) {
        Array(UnsafeBufferPointer(start: $0, count: count))
      }
    }

    /// A `bytea[]` of one dimension without NULL; empty for NULL.
    func byteArrays(_ column: Int32) -> [[UInt8]] {
      guard let bytes = bytes(column), bytes.count > 20 else { return [] }
      let number = { (place: Int) in Int(bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }) }
      var (place, values) = (20, [[UInt8]]())
      for _ in 0..<number(12) {
        let size = number(place)
        values.append(Array(bytes[place + 4..<place + 4 + size]))
        place += 4 + size
      }
      return values
    }
  }
}
