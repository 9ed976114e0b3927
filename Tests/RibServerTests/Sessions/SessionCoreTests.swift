import Logging
import RibCore
import Synchronization
import Testing
import Wire

@testable import RibServer

/// What a client is told last, by a session without I/O.
@Suite struct SessionCoreTests {
  private struct Lamp: Riblet {
    static let typeName = "Lamp"
    enum ViewAction: Decodable { case toggle }
    func makeState() -> Bool { false }
    func reduce(into isOn: inout Bool, viewAction: ViewAction) -> Effect<Self> {
      isOn.toggle()
      return .none
    }
    func view(_ isOn: Bool) -> Bool { isOn }
  }

  private let work = Workspace(messageLimit: 1000, writeQueueLimit: 100_000)
  private let core: SessionCore
  private let channel: Channel

  /// A session that has started, with a client.
  init() throws {
    let context = ServerContext(
      apps: [], files: StaticFiles(), settings: ServerSettings(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    core = try SessionCore(
      of: App("lamp") { Lamp() }, nil, token: "token", profile: nil, durability: .disk, outage: .goesOn, work, context)
    channel = Channel(work)
    #expect(core.start(channel, ClientInfo(), token: "token") == nil)
  }

  /// The kinds of what was written for the client, in order, also of what is held.
  private var messages: [String] {
    let text = String(decoding: channel.output.bytes, as: UTF8.self)
    return text.split(separator: #"{"t":""#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  /// A client that does not read has not been shown the last patches: it is, before the session is over.
  @Test func endedSession_showsWhatItOwes() {
    channel.oweSnapshot()
    core.end(because: .expired)
    #expect(messages == ["welcome", "snap", "snap", "bye"])
  }

  @Test func goodbye_isAnsweredByWhatIsOwed() {
    channel.oweSnapshot()
    core.clientSaidBye(1)
    #expect(messages == ["welcome", "snap", "snap", "bye"])
  }

  /// Nobody could come back to it.
  @Test func sessionWhoseOnlyClientIsPutOut_ends() {
    #expect(core.expel(1))
    #expect(core.life.hasEnded && core.life.endReason == .dismissed)
    #expect(messages == ["welcome", "snap", "bye"])
  }

  @Test func sessionWithAnotherClientThatMayAct_goesOn() throws {
    for scope in [ShareScope.view, .act] {
      let token = "\(core.id).\(scope)"
      core.audience.invite(token, scope, at: work.environment.time.wall())
      _ = try core.accept(token, ClientInfo(), nil).get()
    }
    #expect(core.expel(1))
    #expect(!core.life.hasEnded)
    // The one that is left may only look.
    #expect(core.expel(3))
    #expect(core.life.hasEnded)
  }

  /// A process that is stopped for a day, and goes on, was not there for clients: a session ends once they had their time.
  @Test(arguments: [0, 61, 86_400]) func timeInWhichTheLoopWasHeldUp_isNotAbsence(_ pause: Int) {
    core.life.aloneSince = work.now
    core.look(after: 300)
    work.now += UInt64(60 + pause) * 1_000_000_000
    core.timeHasCome()
    #expect(core.life.secondsAlone(at: work.now) == 60)
    for _ in 1...3 {
      work.now += 60_000_000_000
      core.timeHasCome()
    }
    #expect(!core.life.hasEnded)
    work.now += 60_000_000_000
    core.timeHasCome()
    #expect(core.life.hasEnded)
  }

  /// Clients whose session was about to end have a minute to come back.
  @Test func sessionWithoutTimeLeft_doesNotEndAsSoonAsTheLoopGoesOn() {
    core.life.aloneSince = work.now
    core.look(after: 300)
    for _ in 1...4 {
      work.now += 60_000_000_000
      core.timeHasCome()
    }
    work.now += 3_660_000_000_000
    core.timeHasCome()
    core.timeHasCome()
    #expect(!core.life.hasEnded && core.life.secondsAlone(at: work.now) == 300)
    work.now += 60_000_000_000
    core.timeHasCome()
    #expect(core.life.hasEnded)
  }

  /// Has a session without a client looked at, each time so many seconds after the look was due.
  private func waitAlone(lateBy delays: Int...) {
    core.life.aloneSince = work.now
    core.look(after: 300)
    for delay in delays {
      work.now += UInt64(60 + delay) * 1_000_000_000
      core.timeHasCome()
    }
  }

  /// A look may be a little late on a busy machine; what is more counts, be it seconds or an hour.
  @Test(arguments: [(5, true), (6, false), (59, false), (3_600, false)])
  func lastLook_isJudgedByHowLateItIs(delay: Int, ends: Bool) {
    waitAlone(lateBy: 0, 0, 0, 0, delay)
    #expect(core.life.hasEnded == ends)
  }

  /// Who is held up again and again does not have its sessions live for ever.
  @Test func sessionOfAProcessThatIsHeldUpAgainAndAgain_ends() {
    waitAlone(lateBy: 90, 90, 90, 90, 90, 90, 90, 90)
    #expect(core.life.hasEnded)
  }

  /// What was not committed has not happened: neither what is held nor what is owed is shown.
  @Test func sessionThatGoesOnElsewhere_showsNothingThatHasNotHappened() {
    #expect(core.takeCut() != nil)
    channel.oweSnapshot()
    core.didCommit(.success(.lost))
    #expect(messages == ["bye"])
  }

  /// What cannot be saved goes no further.
  @Test func sessionThatCannotBeWritten_showsNothingThatWillNotBeSaved() {
    #expect(core.takeCut() != nil)
    channel.oweSnapshot()
    core.didCommit(.success(.refused(StoreError("The test has it refused.", isGlobal: false))))
    #expect(messages == ["bye"])
  }

  // MARK: The end that a program wants

  /// Takes note of what ``SessionCore/dismissAll(_:)`` says, and whether the store has the session all the same.
  private func dismissed() -> () -> [String] {
    let log = Mutex<[String]>([])
    core.dismissAll { [core] isKnown in
      log.withLock { $0.append(!isKnown ? "unknown" : core.isLeftInStore ? "left" : "ended") }
    }
    return { log.withLock { $0 } }
  }

  private static let lease = SessionLease(row: 1, number: 1)
  private static let failure = StoreError("The test has it fail.")

  /// A session that the store does not have ends at once.
  @Test func dismissal_beforeTheFirstCommit_isAnsweredOnce() {
    #expect(dismissed()() == ["ended"])
    #expect(core.life.hasEnded)
  }

  /// The removal is what answers, and neither the commit before it nor one that fails meanwhile.
  @Test(arguments: ["clean", "written", "refused", "fails"]) func dismissal_isAnsweredByTheRemoval(_ commit: String) {
    #expect(core.takeCut() != nil)
    core.didCommit(.success(.written(Self.lease)))
    if commit != "clean" {
      core.noteChange()
      #expect(core.takeCut() != nil)
    }
    let answers = dismissed()
    switch commit {
    case "written": core.didCommit(.success(.written(Self.lease)))
    case "refused": core.didCommit(.success(.refused(Self.failure)))
    case "fails": core.didCommit(.failure(Self.failure))
    default: break
    }
    #expect(answers() == [])
    core.didRemove(.success(.removed(1)))
    #expect(answers() == ["ended"])
  }

  /// Whoever has ended a session is told what is known of it.
  @Test(arguments: ["fails": "left", "refuses": "left", "has it no more": "unknown"])
  func dismissal_thatTheStoreHasNot_isToldOf(store: String, answer: String) {
    #expect(core.takeCut() != nil)
    core.didCommit(.success(.written(Self.lease)))
    let answers = dismissed()
    switch store {
    case "fails": core.didRemove(.failure(Self.failure))
    case "refuses": core.didRemove(.success(.refused(Self.failure)))
    default: core.didRemove(.success(.removed(0)))
    }
    #expect(answers() == [answer])
  }

  // MARK: Rest

  /// What a session asks for, as far as it concerns its rest.
  private final class Looks: SessionDriver {
    var seconds: [Int] = []
    var isStoreFailing: Bool { false }
    func isStoreShared(since time: UInt64) -> Bool { false }
    var isSuspended = false
    func reserveRest(isAwaited: Bool) -> Bool { true }
    func carryOut(_ command: SessionCommand) { if case .look(let after) = command { seconds.append(after) } }
  }

  /// A session that something keeps from leaving memory is soon looked at again.
  @Test func restThatIsCalledOff_isTriedAgainSoon() {
    let looks = Looks()
    core.driver = looks
    #expect(core.takeCut() != nil)
    core.didCommit(.success(.written(Self.lease)))
    _ = core.audience.detach(1)
    core.hasActed = true
    core.life.aloneSince = work.now
    for _ in 1...5 {
      work.now += 60_000_000_000
      core.timeHasCome()
    }
    #expect(core.life.isResting)
    core.noteChange()
    #expect(core.life.isAwake && looks.seconds == [60, 60, 60, 60, 5])
  }
}
