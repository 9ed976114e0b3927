import GRDB

/// Keeps the server from committing, as another process that writes to the same file does, or a slow disk.
///
/// What the server says meanwhile of what happens meanwhile, it says before it is committed.
struct StoreBlocker {
  private let queue: DatabaseQueue

  /// - Parameter path: the store's file.
  /// - Throws: `DatabaseError`.
  init(path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Does something while nothing can be committed.
  ///
  /// - Parameter body: shorter than the two seconds after which a server takes the store for broken.
  /// - Throws: `DatabaseError`.
  func block(_ body: () -> Void) throws {
    try queue.inDatabase { database in
      try database.execute(sql: "BEGIN IMMEDIATE")
      body()
      try database.execute(sql: "ROLLBACK")
    }
    try queue.close()
  }
}
