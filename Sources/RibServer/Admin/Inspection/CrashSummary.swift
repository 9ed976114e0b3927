/// The causes of death of earlier processes, as an operator sees them.
package struct CrashSummary: Codable, Equatable, Sendable {
  /// A report that was written as a process died.
  package struct Report: Codable, Equatable, Identifiable, Sendable {
    /// The file's name.
    package var id: String
    /// When it was written, in seconds since 1970.
    package var time: Int
    /// Its size in bytes.
    package var bytes: Int
    /// Its first lines.
    package var head: String

    /// A report.
    package init(id: String, time: Int, bytes: Int, head: String) {
      self.id = id
      self.time = time
      self.bytes = bytes
      self.head = head
    }
  }

  /// Something that is not run again, as processes have died of it.
  package struct Poison: Codable, Equatable, Identifiable, Sendable {
    /// The session, the client and the number.
    package let id: String
    /// The session.
    package var session: String
    /// The session's app.
    package var app: String
    /// The client whose action it was; 0 for none.
    package var client: Int
    /// The action; without a client 0 if the session was coming back into memory, otherwise the number of an effect.
    package var number: Int
    /// How often a process has died of it.
    package var count: Int

    /// Something that is not run again.
    package init(session: String, app: String, client: Int, number: Int, count: Int) {
      id = "\(session).\(client).\(number)"
      self.session = session
      self.app = app
      self.client = client
      self.number = number
      self.count = count
    }
  }

  /// Activities that were found at the start to have made a process die.
  package var found = 0
  /// The reports that are kept, the newest first.
  package var reports: [Report] = []
  /// The actions and effects that are not run again.
  package var poison: [Poison] = []

  /// None.
  package init() {}
}
