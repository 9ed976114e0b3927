extension Server {
  /// Copies the sessions into a file that only the process' user can read, while the server serves.
  ///
  /// The copy is made on a connection of its own: no commit waits for it. It has all that was answered before the call. `ribd restore`
  /// puts it back.
  ///
  /// - Parameters:
  ///   - file: where it goes; it is there once it is whole, checked and on the disk.
  ///   - isReplacing: whether a file that is there is replaced.
  /// - Throws: ``StoreError`` if sessions are not in a file of the server's, if there is one already, or if it cannot be written.
  /// - Returns: what is in it.
  @discardableResult
  public func backup(to file: String, replacing isReplacing: Bool = false) async throws(StoreError) -> StoreBackup {
    let directory = try context.settings.fileStoreDirectory
    let queue = context.environment.makeQueue("ribserver.backup", .background)
    let result = await withCheckedContinuation { continuation in
      queue.add {
        continuation.resume(
          returning: Result { () throws(StoreError) in
            try StoreBackup(of: directory, to: file, replacing: isReplacing)
          })
      }
    }
    return try result.get()
  }
}
