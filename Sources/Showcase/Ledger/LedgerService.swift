/// The book that ``Ledger`` writes its payments in, outside of the server.
public struct LedgerService: Sendable {
  let write: @Sendable (_ line: String) throws -> Void

  /// A book.
  ///
  /// - Parameter write: adds a line at its end, whole or not at all; called on any thread.
  public init(write: @escaping @Sendable (_ line: String) throws -> Void) { self.write = write }

  /// A book that forgets.
  public static let none = LedgerService { _ in }
}
