package import Wire

/// The state of a riblet as an earlier version has saved it.
public struct SavedState: Sendable {
  /// The state's JSON, to be read member by member.
  package let json: JSONElement

  /// Decodes the state as a type that has the old shape.
  ///
  /// - Throws: `DecodingError`.
  public func decode<Old: Decodable>(_ type: Old.Type = Old.self) throws -> Old {
    try StateCoder.decode(type, from: json)
  }
}

/// A riblet has raised its `stateVersion` and implements no `migrate(_:from:)`.
public struct MissingMigration: Error, CustomStringConvertible {
  private let from: Int
  private let to: Int

  /// A missing migration from the saved version to the riblet's.
  public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }

  /// What is missing, and where.
  public var description: String {
    "A state of version \(from) was saved, the riblet has \(to): write migrate(_:from:), or the state is lost."
  }
}
