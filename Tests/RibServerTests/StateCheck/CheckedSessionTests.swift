import RibCore
import Testing
import Wire

@testable import RibServer

/// The check of one session, in this process.
@Suite struct CheckedSessionTests {
  /// A riblet whose children are its state's, each with a state of its own.
  private struct Shelf: Riblet {
    static let typeName = "Shelf"
    struct State: Codable { var books = Items<String>() }
    let first: String

    var routes: [Route<Self>] { [Route("books", \.books) { Child(Book(title: $0)) }] }
    func makeState() -> State { State(books: Items([first])) }
    func view(_ state: State) -> Int { state.books.count }
  }

  private struct Book: Riblet {
    static let typeName = "Book"
    struct State: Codable { var title: String }
    let title: String

    func makeState() -> State { State(title: title) }
    func view(_ state: State) -> String { state.title }
  }

  private struct Parameters: Decodable { let first: String }

  /// A session of a shelf, with what is saved of its book changed.
  private func stored(
    parameters: String? = #"{"first":"Emma"}"#, crashes: [StoredSession.Crash] = [],
    book change: (NodeSnapshot) -> NodeSnapshot = { $0 }
  ) throws -> StoredTrees.StoredTree {
    let tree = Tree(root: Shelf(first: "Emma"))
    _ = try tree.start(rendering: ViewRenderer())
    var snapshot = try tree.snapshot()
    for (id, node) in snapshot.nodes where node.type == Book.typeName { snapshot.nodes[id] = change(node) }
    return StoredTrees.StoredTree(
      identity: SessionIdentity(id: "5d1c", app: "shelf", parameters: parameters), profile: nil, tree: snapshot,
      crashes: crashes)
  }

  private func check(
    _ stored: StoredTrees.StoredTree, onUnreadableState: App.UnreadableState = .keep
  ) -> (session: CheckedSession, types: [String]) {
    let app = App("shelf", onUnreadableState: onUnreadableState, parameters: Parameters.self) { parameters in
      Shelf(first: parameters.first)
    }
    var types: [String] = []
    let session = CheckedSession(restoring: stored, as: app) { types.append($0) }
    return (session, types)
  }

  private func book(_ node: NodeSnapshot, type: String = "Book", version: Int = 1, state: String?) -> NodeSnapshot {
    NodeSnapshot(
      id: node.id, type: type, version: version, state: state, children: node.children, effects: node.effects)
  }

  @Test func wholeSession_isRestored_andEachRibletIsTold() throws {
    let (session, types) = check(try stored())
    #expect(session == CheckedSession(outcome: .restored))
    #expect(types == ["Shelf", "Book"])
  }

  @Test func stateThatDoesNotDecode_isAFailure_orARebuild_asTheAppChooses() throws {
    let broken = try stored { book($0, state: "{}") }
    for (choice, outcome) in [(App.UnreadableState.keep, CheckedSession.Outcome.failed), (.rebuild, .rebuilt)] {
      let (session, _) = check(broken, onUnreadableState: choice)
      #expect(session.outcome == outcome)
      #expect(session.problems.map(\.type) == ["Book"] && session.problems.first?.reason.contains("title") == true)
    }
  }

  @Test func anotherRibletInThePlace_isARebuild() throws {
    let (session, _) = check(try stored { book($0, type: "Leaflet", state: "{}") })
    #expect(session == CheckedSession(.rebuilt, "Leaflet", "Book is in its place now"))
  }

  @Test func newerRiblet_isNotLoaded() throws {
    let (session, _) = check(try stored { book($0, version: 2, state: "{}") })
    #expect(session.outcome == .newer && session.problems.map(\.type) == ["Book"])
  }

  @Test func parametersThatTheAppRefuses_areAFailure() throws {
    let (session, types) = check(try stored(parameters: "{}"))
    #expect(session.outcome == .failed && types == [])
    #expect(session.problems.first?.reason.hasPrefix("The app's root cannot be built:") == true)
  }

  @Test func sessionThatServersHaveDiedOf_isNotTried() throws {
    let crash = StoredSession.Crash(client: 0, number: 0, count: StoredSession.Crash.limit)
    let (session, types) = check(try stored(crashes: [crash]))
    #expect(session.outcome == .poisoned && types == [])
    // An action that is not run again keeps no session from coming back.
    let action = StoredSession.Crash(client: 1, number: 3, count: StoredSession.Crash.limit)
    #expect(check(try stored(crashes: [action])).session.outcome == .restored)
  }
}
