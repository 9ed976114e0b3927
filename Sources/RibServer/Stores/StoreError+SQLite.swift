import GRDB

extension StoreError {
  /// What SQLite says, and the likely cause.
  init(_ error: any Error) {
    guard let error = error as? DatabaseError else {
      self.init("\(error)")
      return
    }
    let cause =
      switch error.resultCode {
      case .SQLITE_FULL: "The disk is full: make room."
      case .SQLITE_BUSY, .SQLITE_LOCKED: "Another process keeps the file locked."
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
        "The file or its directory cannot be written by this user."
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: "The file is damaged: move it away, or put a copy back."
      case .SQLITE_IOERR: "The disk does not do what it should."
      default: ""
      }
    self.init("SQLite: \(error.message ?? "error \(error.extendedResultCode.rawValue)"). \(cause)")
  }

  /// Why a file cannot be used.
  init(opening path: String, _ error: any Error) {
    self.init("The session store \(path) cannot be opened. \(StoreError(error))")
  }

  /// Whether an error is about one session, not about the file.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - ownsDamage: whether damaged pages are the session's own: nothing of others was to be written with it.
  /// - Returns: whether others may go on.
  static func isOfOneSession(_ error: any Error, ownsDamage: Bool) -> Bool {
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_CORRUPT? where ownsDamage: true
    case .SQLITE_CONSTRAINT?, .SQLITE_TOOBIG?, .SQLITE_MISMATCH?, .SQLITE_RANGE?: true
    // What was read is not what this program writes.
    case nil: true
    default: false
    }
  }
}
