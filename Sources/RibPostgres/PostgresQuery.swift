import Synchronization

/// An SQL statement that is run again and again: each connection prepares it once.
final class PostgresQuery: Sendable {
  /// The statement; its parameters are `$1` and so on, each with the cast that gives it a type.
  let sql: String
  /// The name that the statement is prepared under; nil for one that is not prepared.
  let name: String?

  private static let last = Atomic(0)

  /// A statement.
  ///
  /// - Parameters:
  ///   - sql: the statement.
  ///   - isPrepared: whether connections prepare it.
  init(_ sql: String, isPrepared: Bool = true) {
    self.sql = sql
    name = isPrepared ? "s\(Self.last.add(1, ordering: .relaxed).newValue)" : nil
  }

  static let begin = PostgresQuery("BEGIN", isPrepared: false)
  static let commit = PostgresQuery("COMMIT", isPrepared: false)
  static let rollback = PostgresQuery("ROLLBACK", isPrepared: false)
}

/// A statement with its parameters.
struct PostgresStatement {
  let query: PostgresQuery
  let parameters: [PostgresParameter]

  /// A statement to run.
  init(_ query: PostgresQuery, _ parameters: PostgresParameter...) {
    self.query = query
    self.parameters = parameters
  }

  /// A statement to run, with parameters that were put together.
  init(_ query: PostgresQuery, _ parameters: [PostgresParameter]) {
    self.query = query
    self.parameters = parameters
  }
}

/// A value for a parameter, in PostgreSQL's binary format; nil for NULL.
struct PostgresParameter {
  let bytes: [UInt8]?

  private init(_ bytes: [UInt8]?) { self.bytes = bytes }

  // The numbers that PostgreSQL gives its types.
  private enum TypeID {
    static let bool: Int32 = 16
    static let bytes: Int32 = 17
    static let integer: Int32 = 20
    static let text: Int32 = 25
  }

  /// For `int8`.
  static func integer(_ value: Int) -> Self { Self(bigEndian(Int64(value))) }
  static func integer(_ value: Int64) -> Self { Self(bigEndian(value)) }
  /// For `bool`.
  static func flag(_ value: Bool) -> Self { Self([value ? 1 : 0]) }
  /// For `text`, without U+0000.
  static func text(_ value: String?) -> Self { Self(value.map { Array($0.utf8) }) }
  /// For `bytea`.
  static func bytes(_ value: [UInt8]?) -> Self { Self(value) }
  /// For `bytea`, of a text that may have U+0000 in it.
  static func utf8(_ value: String?) -> Self { Self(value.map { Array($0.utf8) }) }

  /// For `int8[]`.
  static func integers(_ values: [Int64]) -> Self { array(TypeID.integer, values.map { bigEndian($0) }) }
  /// For `bool[]`.
  static func flags(_ values: [Bool]) -> Self { array(TypeID.bool, values.map { [$0 ? 1 : 0] }) }
  /// For `text[]`, without U+0000.
  static func texts(_ values: [String?]) -> Self { array(TypeID.text, values.map { $0.map { Array($0.utf8) } }) }
  /// For `bytea[]`.
  static func byteArrays(_ values: [[UInt8]?]) -> Self { array(TypeID.bytes, values) }

  /// An array of one dimension, whose indices begin with 1.
  private static func array(_ type: Int32, _ values: [[UInt8]?]) -> Self {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + values.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
    for number in [1, 1, type, Int32(values.count), 1] { bytes += bigEndian(number) }
    for value in values {
      bytes += bigEndian(value.map { Int32($0.count) } ?? -1)
      if let value { bytes += value }
    }
    return Self(bytes)
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
