import Foundation
import RibServer
import RibTestSupport
import RibTesting
import Synchronization
import Testing
import Wire

@testable import Showcase

/// What released versions have written is read.
///
/// Each folder of `Tests/Fixtures` is a version's: `scripts/record-formats` has made it with that version's daemon. A
/// session comes back from the snapshots of its nodes: resuming one reads these as well.
@Suite struct ReleasedFormatsTests {
  /// The state directories that a version has left, by how its server ended.
  enum Store: String, CaseIterable {
    case stopped, killed
  }

  private static let folder = repository.appendingPathComponent("Tests/Fixtures")

  /// The versions that have a folder.
  static let versions = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

  // MARK: The folders

  /// What `sessions.json` says of a store's clients.
  private static func clients(_ version: String, _ store: Store) throws -> [JSONValue] {
    let file = folder.appendingPathComponent("\(version)/sessions.json")
    let stores = try JSONValue(parsing: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    guard case .array(let clients)? = stores[store.rawValue] else { return [] }
    return clients
  }

  private static func recordings(_ version: String) throws -> [SessionRecording] {
    let directory = folder.appendingPathComponent("\(version)/recordings").path
    return try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
      .map { try SessionRecording(contentsOf: "\(directory)/\($0)") }
  }

  /// The other tests would pass without anything to read.
  @Test func releases_areThere() throws {
    #expect(Self.versions.contains("0.1.0"))
    for version in Self.versions {
      for store in Store.allCases { #expect(try !Self.clients(version, store).isEmpty, "\(version) \(store)") }
      let sessions = Set(try Self.clients(version, .killed).map { $0["resume"]?["sid"]?.string ?? "" })
      #expect(try Set(Self.recordings(version).map { $0.lives[0].header.session }) == sessions, "\(version)")
    }
  }

  // MARK: Stores

  /// Clients come back and see what they were shown last, act once more, and find that done after another start.
  ///
  /// However old the store is: the time in which no server used it does not count for its sessions.
  @Test(arguments: versions, Store.allCases) func sessions_goOn(version: String, store: Store) async throws {
    let directory = try TemporaryDirectory()
    let source = Self.folder.appendingPathComponent("\(version)/\(store.rawValue)").path
    for file in try FileManager.default.contentsOfDirectory(atPath: source) {
      try FileManager.default.copyItem(atPath: "\(source)/\(file)", toPath: "\(directory.path)/\(file)")
    }
    let clients = try Self.clients(version, store)
    let searches = clients.filter { $0.text.contains(#""results":{"loading":"#) }.count
    let shown = Mutex<[JSONValue]>([])

    try await Self.withShowcase(directory) { url, clock in
      try await blocking {
        for client in clients { try Self.comeBack(client, to: url, after: store) }
      }
      // The searches that were under way are begun again, and wait for the clock, which stands still.
      #expect(await eventually { clock.sleeperCount == searches })
      let views = try await blocking {
        for client in clients { try Self.act(client, on: url) }
        return try clients.map { try Self.view($0, on: url) }
      }
      for (client, view) in zip(clients, views) { #expect(view != client["view"]) }
      shown.withLock { $0 = views }
    }

    try await Self.withShowcase(directory) { url, _ in
      try await blocking {
        // The same again is answered, and not done again.
        for client in clients { try Self.act(client, on: url) }
        let views = try clients.map { try Self.view($0, on: url) }
        #expect(views == shown.withLock { $0 })
      }
    }
  }

  private static func withShowcase(
    _ directory: TemporaryDirectory,
    _ body: @escaping @Sendable (_ url: String, _ clock: ManualClock) async throws -> Void
  ) async throws {
    let clock = ManualClock()
    try await withServer(
      apps: Showcase.apps(clock: clock),
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
      }
    ) { _, url in try await body(url, clock) }
  }

  /// Resumes by WebSocket, with all of the view.
  private static func comeBack(_ client: JSONValue, to url: String, after store: Store) throws {
    let resume = try #require(client["resume"])
    let socket = try PlainClient(url, saying: #"{"t":"hello","resume":\#(resume.text)}"#)
    try socket.greet()
    let welcome = try JSONValue(parsing: socket.greeting)
    #expect(welcome["resumed"] == .bool(true), "\(socket.greeting)")
    for key in ["sid", "cid", "token", "rev"] { #expect(welcome[key] == resume[key], "\(key) of \(resume.text)") }
    for key in ["n", "nacks"] { #expect(welcome[key] == client[key], "\(key) of \(resume.text)") }
    // A server that has died may have shown more than the store has.
    #expect((welcome["epoch"] == resume["epoch"]) == (store == .stopped))
    try socket.send(#"{"t":"resync"}"#)
    let view = try #require(try JSONValue(parsing: try socket.next(#"{"t":"snap""#))["view"])
    #expect(try Self.has(view, #require(client["view"])), "\(view.text)")
  }

  /// Whether a view has all that a former version has shown; what is new since then is more.
  private static func has(_ view: JSONValue, _ former: JSONValue) -> Bool {
    switch (view, former) {
    case (.object(let members), .object(let formerMembers)):
      formerMembers.allSatisfy { key, value in members[key].map { has($0, value) } ?? false }
    case (.array(let items), .array(let formerItems)):
      items.count == formerItems.count && zip(items, formerItems).allSatisfy { has($0, $1) }
    default: view == former
    }
  }

  private static func twin(_ client: JSONValue, _ url: String) throws -> TwinClient {
    let resume = client["resume"]
    return try TwinClient(url, sessionID: resume?["sid"]?.string ?? "", token: resume?["token"]?.string ?? "")
  }

  /// Does what the client does next; who may only look has no such action.
  private static func act(_ client: JSONValue, on url: String) throws {
    guard let action = client["next"] else { return }
    guard case .integer(let last)? = client["n"] else { throw PlainClient.Unexpected(text: client.text) }
    let answer = try twin(client, url).act("\"\(last + 1)\"", action.text)
    #expect(answer.status == 200, "\(answer.body)")
    #expect(try answer.json["n"] == .integer(last + 1) && answer.json["nacks"] == .array([]), "\(answer.body)")
  }

  private static func view(_ client: JSONValue, on url: String) throws -> JSONValue {
    try twin(client, url).view().json
  }

  // MARK: Recordings

  /// A recording ends with the view that clients were shown last, read or run again.
  @Test(arguments: versions) func recordings_areReadAndReplayed(version: String) throws {
    let clients = try Self.clients(version, .killed)
    var replayed: Set<String> = []
    for recording in try Self.recordings(version) {
      let header = recording.lives[0].header
      let view = try #require(clients.first { $0["resume"]?["sid"]?.string == header.session }?["view"])
      #expect(recording.tornLines.isEmpty)
      var recorded = JSONValue.null
      for entry in recording.lives.flatMap(\.entries) { try entry.transaction.apply(to: &recorded) }
      #expect(recorded == view, "\(header.app)")
      guard let session = try Self.replay(recording) else { continue }
      #expect(Self.has(session.view, view), "\(header.app)")
      replayed.insert(header.app)
    }
    #expect(replayed == ["boundaries", "counter", "home-detail", "ledger", "profile", "tabs"])
  }

  /// Runs a recording again; nil for an app whose effects have sent what a recording has in words only.
  private static func replay(_ recording: SessionRecording) throws -> TestSession? {
    switch recording.lives[0].header.app {
    case "boundaries": try TestSession.replay(recording, root: BoundariesParent())
    case "counter": try TestSession.replay(recording, root: Counter())
    case "home-detail": try TestSession.replay(recording, root: Root())
    case "ledger": try TestSession.replay(recording, root: Ledger(service: .none))
    case "profile": try TestSession.replay(recording, root: ProfileNavigationRouter())
    case "tabs": try TestSession.replay(recording, root: AppRoot())
    default: nil
    }
  }
}
