import GRDB

extension StoreError {
  /// What SQLite says, and the likely cause.
  ///
  /// - Parameters:
  ///   - error: the error. One that is not SQLite's is about what was read, which this program has not written.
  ///   - isGlobal: whether the store fails; nil to judge by the error. Damage is then the store's.
  init(_ error: any Error, isGlobal: Bool? = nil) {
    guard let error = error as? DatabaseError else {
      self.init("\(error)", isGlobal: isGlobal ?? false)
      return
    }
    let cause =
      switch error.resultCode {
      case .SQLITE_FULL: "The disk is full: make room."
      case .SQLITE_BUSY, .SQLITE_LOCKED: "Another process keeps the file locked."
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
        "The file or its directory cannot be written by this user."
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: "The file is damaged: move it away, or put a copy back."
      case .SQLITE_PROTOCOL: "The file system does not give locks back: the file is opened anew."
      case .SQLITE_IOERR: "The disk does not do what it should."
      default: ""
      }
    self.init(
      "SQLite: \(error.message ?? "error \(error.extendedResultCode.rawValue)"). \(cause)",
      isGlobal: isGlobal ?? !Self.isOfRequest(error.resultCode))
  }

  /// Why a file cannot be used.
  init(opening path: String, _ error: any Error) {
    self.init("The session store \(path) cannot be opened. \(StoreError(error))")
  }

  /// Whether SQLite says that it does not take what was asked for, whatever the state of the file.
  private static func isOfRequest(_ code: ResultCode) -> Bool {
    switch code {
    case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_RANGE: true
    default: false
    }
  }
}
