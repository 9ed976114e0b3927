/// The session store as an operator sees it.
package struct StoreReport: Codable, Equatable, Sendable {
  /// A copy of the store that was made.
  package struct Backup: Codable, Equatable, Sendable {
    /// When it was ready, in seconds since 1970.
    package var time: Int
    /// The file.
    package var file: String
    /// Its size in bytes.
    package var bytes: Int

    /// A backup.
    package init(time: Int, file: String, bytes: Int) {
      self.time = time
      self.file = file
      self.bytes = bytes
    }
  }

  /// A part of the store on its disk.
  package struct Part: Codable, Equatable, Identifiable, Sendable {
    /// The name: `main` and `wal`, or `database`.
    package var id: String
    /// Its size in bytes.
    package var bytes: Int
  }

  /// The kind of store, as the settings name it.
  package var kind = ""
  /// The durability of an answer: `none`, `process` or `disk`.
  package var durability = ""
  /// Whether it fails.
  package var isFailing = false
  /// Sessions that it has; nil before it has said so.
  package var sessions: Int?
  /// Its files, looked at once a minute.
  package var parts: [Part] = []
  /// Commits since the server's start.
  package var commits = 0
  /// Commits that failed.
  package var failedCommits = 0
  /// Requests that a commit has served on average, since the server's start; nil before the first.
  package var requestsPerCommit: Double?
  /// Half of the commits took no longer, in microseconds, since the server's start; nil before the first.
  package var commitP50: Int?
  /// Ninety-nine of a hundred took no longer, in microseconds.
  package var commitP99: Int?
  /// The last copy that was made by this process; nil if there is none.
  package var backup: Backup?

  /// A store of which nothing is known.
  package init() {}
}
