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
struct MissingMigration: Error, CustomStringConvertible {
  let from: Int
  let to: Int

  /// What is missing, and where.
  var description: String {
    "A state of version \(from) was saved, the riblet has \(to): write migrate(_:from:), or the state is lost."
  }
}
