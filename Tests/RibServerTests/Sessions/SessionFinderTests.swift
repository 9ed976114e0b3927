import RibCore
import Synchronization
import Testing
import Wire

@testable import RibServer

/// What is done for a session that another process holds.
@Suite struct SessionFinderTests {
  private final class Member: Sendable {}

  /// What the store has of the session.
  private static let stored = stored(clients: [])

  /// The same with clients.
  static func stored(clients: [ClientRecord]) -> StoredSession {
    StoredSession(
      identity: SessionIdentity(id: "s", app: "a", parameters: nil), lease: SessionLease(row: 1, number: 2),
      state: SessionState(revision: 1, clients: clients, invitations: [], hasActed: true, isHeld: true),
      tree: TreeSnapshot(root: 1, lastID: 1, transactions: 1, nodes: [:]), nacks: [], crashes: [])
  }

  /// A loop, its store and its cluster, as a script has them answer; time passes only while somebody waits.
  ///
  /// `@unchecked Sendable`: one thread does everything.
  private final class Script: SessionSource, @unchecked Sendable {
    var now: UInt64 = 1_000_000_000
    var isSuspended = false
    let isStopping = false
    let wallClock = 0
    let program = "p"
    let nodeOfAnotherProgram: Int? = nil
    /// What the store says, by who is taken from.
    var load: (_ takeover: Takeover) -> Result<StoreResult, StoreError> = { _ in .success(.missing) }
    /// What is said of a process that is asked.
    var place: (_ holder: Int) -> Placement = { _ in .unknown }
    /// What was asked: "load" of the store, or a process.
    private(set) var questions: [String] = []
    private var jobs: [@Sendable () -> Void] = []

    func ask(_ request: StoreRequest, _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void) {
      guard case .load(_, _, let takeover) = request else { return completion(.success(.missing)) }
      questions.append("load")
      let result = load(takeover)
      jobs.append { completion(result) }
    }

    func ask(
      _ holder: Int, about id: String, _ claim: SessionClaim, _ completion: @escaping @Sendable (Placement) -> Void
    ) {
      questions.append("\(holder)")
      let placement = place(holder)
      jobs.append { completion(placement) }
    }

    func noteMove(of id: String) {}
    func restore(_ stored: StoredSession) -> Result<Member, Ending> { .success(Member()) }
    func refusal(of resting: RestingSession) -> Ending? { nil }
    func noteAbsence(ofSession id: String, _ lease: SessionLease) {}
    func execute(_ body: @escaping @Sendable () -> Void) { jobs.append(body) }

    func executeSoon(_ body: @escaping @Sendable () -> Void) {
      jobs.append { [self] in
        now += 500_000_000
        body()
      }
    }

    /// Does what there is to do until there is nothing.
    func run() { while !jobs.isEmpty { jobs.removeFirst()() } }
  }

  /// How a search ends; nil if it does not.
  private func search(_ script: Script, forced: Bool = false) -> String? {
    let end = Mutex<String?>(nil)
    let finder = SessionFinder(registry: SessionRegistry<Member>(), source: script)
    _ = finder.find("s", SessionClaim(isForced: forced)) { result in
      end.withLock { end in
        switch result {
        case .success(.awake): end = "awake"
        case .success(.elsewhere(let node)): end = "elsewhere \(node)"
        case .success(.resting): end = "resting"
        case .failure(let ending): end = ending.bye.rawValue
        }
      }
    }
    script.run()
    return end.withLock { $0 }
  }

  /// It is asked until the client that waits would have no patience any more; a death shows in that time.
  @Test func holderThatCannotBeAsked_isWaitedFor() {
    let script = Script()
    script.load = { _ in .success(.held(by: 1)) }
    let start = script.now
    #expect(search(script) == "unavailable")
    #expect((12_000_000_000...12_500_000_000).contains(script.now - start))
    #expect(script.questions.prefix(4) == ["load", "1", "load", "1"])
    // Every fourth time.
    #expect(script.questions.count { $0 == "load" } == 8, "\(script.questions)")
  }

  /// Whoever holds it lets go of it, and cannot say so: the store knows.
  @Test func sessionThatIsFreeMeanwhile_isFound() {
    let script = Script()
    script.load = { [unowned script] _ in
      script.now < 6_000_000_000 ? .success(.held(by: 1)) : .success(.loaded(Self.stored))
    }
    #expect(search(script) == "awake")
    #expect(script.now < 9_000_000_000)
  }

  /// A search does not begin anew with each of them.
  @Test func sessionThatGoesFromOneToAnother_isLookedForNoLonger() {
    let script = Script()
    let start = script.now
    // Two that take it from each other, and die when they have it.
    script.load = { [unowned script] _ in
      .success(.held(by: (script.now - start) / 4_000_000_000 % 2 == 0 ? 1 : 2))
    }
    script.place = { [unowned script] _ in
      (script.now - start) % 4_000_000_000 == 3_500_000_000 ? .here(from: .processes([1])) : .unknown
    }
    #expect(search(script) == "unavailable")
    #expect((12_000_000_000...12_500_000_000).contains(script.now - start))
    #expect(script.questions.contains("2"))
  }

  /// After a death there are too many at once.
  @Test func loadThatIsRefused_isTriedAgain_onceTheHolderIsKnown() {
    let script = Script()
    script.place = { _ in .here(from: .processes([1])) }
    script.load = { [unowned script] takeover in
      guard case .processes = takeover else { return .success(.held(by: 1)) }
      return script.now < 3_000_000_000 ? .failure(StoreError("Too many.")) : .success(.loaded(Self.stored))
    }
    #expect(search(script) == "awake")
    // Before, it is the store that fails.
    script.load = { _ in .failure(StoreError("Away.")) }
    #expect(search(script) == "unavailable")
  }

  /// A session that the server itself ends is taken from whoever has it.
  @Test func forcedSearch_takesTheSession() {
    let script = Script()
    script.load = { takeover in
      if case .anybody = takeover { .success(.loaded(Self.stored)) } else { .success(.held(by: 1)) }
    }
    #expect(search(script, forced: true) == "awake")
    #expect(script.questions == ["load", "load"])
  }
}
