/// A session store could not do something.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What happened, and what to do, for the server's operator.
  public let description: String
  /// Whether the store fails: the disk is full, the file is locked, damaged as a whole or closed.
  ///
  /// Otherwise the request is the reason, and other requests may well succeed.
  package let isGlobal: Bool
  /// Whether what was committed before is in danger as well.
  package let endangersAll: Bool

  /// An error.
  package init(_ description: String, isGlobal: Bool = true, endangersAll: Bool = false) {
    self.description = description
    self.isGlobal = isGlobal
    self.endangersAll = endangersAll
  }
}
