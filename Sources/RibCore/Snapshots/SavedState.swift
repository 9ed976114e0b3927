package import Wire

/// A state as an earlier version of a riblet has saved it.
public struct SavedState: Sendable {
  /// The state's JSON, to be looked at by hand.
  package let json: JSONElement

  /// Decodes the state as a type that has the old shape.
  ///
  /// - Parameter type: the old type.
  /// - Returns: the old state.
  /// - Throws: `DecodingError`.
  public func decode<Old: Decodable>(_ type: Old.Type = Old.self) throws -> Old {
    try StateCoder.decode(type, from: json)
  }
}

/// A riblet has raised its version and not written how to get there.
public struct MissingMigration: Error, CustomStringConvertible {
  private let from: Int
  private let to: Int

  /// An error.
  ///
  /// - Parameters:
  ///   - from: the version that was saved.
  ///   - to: the version that the riblet has.
  public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }

  /// What is missing, and where.
  public var description: String {
    "A state of version \(from) was saved, the riblet has \(to): write migrate(_:from:), or the state is lost."
  }
}
