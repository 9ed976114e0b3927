import Foundation
import RibClient
import Synchronization
import Wire
import WireHTTP

/// One of the clients that the chaos is for: it acts without end, gives up, comes back, sometimes twice at once, and checks
/// what it is told against what it has sent.
///
/// `@unchecked Sendable`: everything that may change but `told` and `isSettled` belongs to the thread of its ``ChaosFleet``, and is read by
/// others once that has ended.
final class ChaosClient: @unchecked Sendable {
  let id: Int
  let told = Mutex(Told())
  var model: ChaosModel
  var figures = Figures()
  /// The faults of the run.
  private(set) var deviations: [String] = []
  private var history: [String] = []
  /// What it did and heard last.
  var recent: String { history.suffix(80).joined(separator: "\n") }
  /// Whether it has sent all, heard all, and its view is the server's.
  var isSettled = false
  private let port: Int
  private var random: SeededGenerator
  private(set) var session = ClientSession()
  private var backOff = BackOff()
  private var heartbeat = Heartbeat(interval: 0, at: 0)
  private(set) var link: ChaosLink?
  /// The number of the connection; the last one's is the highest.
  private(set) var linkNumber = 0
  /// Connections that it has left without a word and that are still there.
  private(set) var zombies: [Int: (link: ChaosLink, end: Int)] = [:]
  /// When it connects next, when it acts next, when its pause ends.
  private var nextAttempt = 0
  /// How often it has connected since it was welcome last, up to four times.
  private var attempts = 0
  private var nextAction = 0
  private var nextPause = 0
  /// When it loses patience; it has more of it than the protocol asks for, or less.
  private var patience = Int.max
  /// When it leaves a server that goes down.
  private var departure = Int.max
  private let isPatient: Bool
  /// Who else is on its session, and whose it is; nil if it is alone there.
  let party: (ChaosParty, role: ChaosParty.Role)?
  /// Who it is; nil for nobody.
  var person: ChaosPerson?
  /// The person's number, for other threads.
  let personNumber: Int?
  /// Whether its person was signed out, and it has come to terms with that.
  var hasLeft = false
  /// What opens something: all the tokens that it was given.
  private(set) var tokens: Set<String> = []
  private var isFinishing = false
  private var awaitsCheck = false
  private var checkTime = 0
  var lastView: LedgerView?

  init(
    _ id: Int, port: Int, seed: UInt64, party: (ChaosParty, role: ChaosParty.Role)? = nil, person: ChaosPerson? = nil
  ) {
    self.id = id
    self.person = person
    personNumber = person?.number
    self.port = port
    self.party = party
    model = ChaosModel(isAlone: party == nil)
    random = SeededGenerator(seed: seed, stream: 1_000_000 + UInt64(id))
    isPatient = id % 5 == 0
  }

  func note(_ text: @autoclosure () -> String) {
    if history.count >= 400 { history.removeFirst(200) }
    history.append("\(milliseconds()) \(text())")
  }

  func deviate(_ text: String) {
    guard deviations.count < 5 else { return }
    deviations.append("\(text) [\(summary)]\n\(recent)")
  }

  // MARK: Time

  /// Does what is due.
  ///
  /// - Returns: when to call again; nil for never.
  func tick(at now: Int, isFinishing: Bool) -> Int? {
    if isFinishing, !self.isFinishing { finish() }
    for (number, zombie) in zombies where zombie.end <= now { closeZombie(number) }
    guard !isSettled else { return nil }
    guard link != nil else {
      if now >= nextAttempt { connect(now) } else { return nextAttempt }
      return now + 50
    }
    if now >= patience {
      leave("It has lost patience.", now)
    } else if now >= departure {
      leave("The server goes down.", now)
    } else if session.welcome != nil {
      live(now)
    }
    return link == nil ? nextAttempt : min(max(nextAction, now + 4), now + 100)
  }

  private func finish() {
    isFinishing = true
    for number in zombies.keys { closeZombie(number) }
  }

  private func live(_ now: Int) {
    switch heartbeat.step(at: now) {
    case .wait: break
    case .ping: say(now) { (session) throws(ClientError) in try session.ping() }
    case .giveUp: return leave("The server is silent.", now)
    }
    if party?.role == .host, party?.0.takeWish() == true {
      say(now) { (session) throws(ClientError) in try session.share(.act) }
    }
    if let person, now >= person.renewalTime { renew(person, now) }
    if isFinishing { return settle(now) }
    guard now >= nextAction, session.outbox.count < 48 else { return }
    if now >= nextPause {
      // Long enough for the session to rest, or not.
      nextAction = now + random.magnitude(in: 200...4000)
      nextPause = nextAction + random.magnitude(in: 500...8000)
      return
    }
    nextAction = now + Int.random(in: 20...90, using: &random)
    if random.happens(0.003) { return leave("It leaves.", now) }
    if random.happens(0.01) { return check(now) }
    if random.happens(0.02) { return say(now) { (session) throws(ClientError) in try session.ack() } }
    act(now)
  }

  private func act(_ now: Int) {
    let step = model.step(&random)
    party?.0.willSend()
    say(now) { (session) throws(ClientError) in
      guard let action = step.action else { return try session.back(to: step.to) }
      return try session.act(action, to: step.to)
    }
    guard let last = session.outbox.last, last.number == model.sent + 1 else { return }
    model.didSend(last.number)
    person?.sent(last.number)
    note("sent \(last.number) \(last.action.text) to \(step.to)")
    if session.outbox.count == 1 { lose(now) }
  }

  /// Sets the time at which it has no patience any more.
  private func lose(_ now: Int) {
    patience = isPatient ? .max : now + random.magnitude(in: 1500...12_000)
  }

  private func check(_ now: Int) {
    awaitsCheck = true
    checkTime = now
    say(now) { (session) throws(ClientError) in try session.check() }
  }

  /// Ends well, once everything is answered and paid and the view is the server's.
  private func settle(_ now: Int) {
    nextAction = now + 50
    guard session.outbox.isEmpty, let view = lastView, view.paid == view.lastPayment else { return }
    // Whoever is let in by it is still to come.
    guard party?.role != .host || party?.0.isGuestThere == true else { return }
    // One that comes before a snapshot that is owed has no answer.
    if !awaitsCheck || now - checkTime > 5000 { check(now) }
  }

  // MARK: Connections

  /// What it says first; nil for a guest who has no token yet.
  private func hello() -> [UInt8]? {
    session = ClientSession()
    guard let party, party.role == .guest else { return session.hello(app: "ledger", auth: person?.credential()) }
    return party.0.takeToken().map { session.join(token: $0, auth: person?.credential()) }
  }

  private func connect(_ now: Int) {
    let message: [UInt8]
    if session.lastWelcome == nil {
      guard let hello = hello() else {
        nextAttempt = now + 50
        return
      }
      message = hello
    } else {
      do {
        // Twice at once: the first one is of yesterday, whichever arrives first.
        if !isFinishing, random.happens(0.15) {
          let double = ChaosLink(to: port, session.query, &random)
          double.send(try session.resume(auth: person?.credential()))
          session.disconnected()
          linkNumber += 1
          zombies[linkNumber] = (double, now + random.magnitude(in: 100...10_000))
          figures.doubles += 1
        }
        message = try session.resume(auth: person?.credential())
      } catch {
        return deviate("It cannot come back: \(error).")
      }
    }
    person?.connects()
    let next = ChaosLink(to: port, session.query, &random)
    next.send(message)
    linkNumber += 1
    link = next
    figures.connections += 1
    awaitsCheck = false
    // On a machine that has no time for it, it would come in vain for ever if it did not wait longer the next time.
    attempts = min(attempts + 1, 4)
    patience = now + random.magnitude(in: 1000...6000) * attempts
    note("connection \(linkNumber)")
  }

  /// Goes without a word: the connection may be closed, or stay for a while as if the client had lost it.
  private func leave(_ reason: String, _ now: Int) {
    note("leaves \(linkNumber): \(reason)")
    if let link, !isFinishing, random.happens(0.5) {
      zombies[linkNumber] = (link, now + random.magnitude(in: 100...10_000))
      self.link = nil
    }
    away(.atOnce, now)
  }

  func away(_ ending: Bye.Return, _ now: Int) {
    if let link { close(link.descriptor) }
    link = nil
    figures.waits.leave(at: now)
    patience = .max
    departure = .max
    session.disconnected()
    switch party?.role {
    // It may have been let in, and not have heard of it.
    case .guest? where session.lastWelcome == nil:
      figures.lostTokens += 1
      party?.0.wantToken()
    // It may have asked for a token, and not have heard of it.
    case .host?: party?.0.renewWish()
    case .guest?, nil: break
    }
    let delay = backOff.delay(after: ending, using: &random) ?? 1000
    // A test has less time than a user.
    nextAttempt = now + min(delay, 2000)
  }

  private func closeZombie(_ number: Int) {
    guard let zombie = zombies.removeValue(forKey: number) else { return }
    close(zombie.link.descriptor)
  }

  func say(_ now: Int, _ message: (inout ClientSession) throws(ClientError) -> [UInt8]) {
    do {
      link?.send(try message(&session))
      heartbeat.sent(at: now)
    } catch {
      deviate("It cannot say something: \(error)")
    }
  }

  // MARK: Hearing

  /// A connection is there.
  ///
  /// - Returns: its descriptor; nil if it was closed meanwhile.
  func hasRoom(_ number: Int) -> Int32? {
    if number == linkNumber, link != nil {
      link?.flush()
      return link?.descriptor
    }
    zombies[number]?.link.flush()
    return zombies[number]?.link.descriptor
  }

  /// A connection has something to say.
  func receive(_ number: Int, _ storage: inout [UInt8], at now: Int) {
    guard number == linkNumber, link != nil else {
      // What was left is not heard.
      do { _ = try zombies[number]?.link.receive(&storage) } catch { closeZombie(number) }
      return
    }
    do {
      for message in try link?.receive(&storage) ?? [] {
        heartbeat.received(at: now)
        try hear(message, now)
        guard link != nil else { return }
      }
    } catch let end as ChaosLink.End {
      note("connection \(number) has ended: \(end.code?.rawValue ?? 0)")
      figures.waits.begin(at: now)
      figures.count(end)
      let ending = Bye.Return(end.code)
      if ending == .not || ending == .asNewSession { deviate("The server has closed with \(end.code?.rawValue ?? 0).") }
      away(ending, now)
    } catch is HTTPError {
      away(.later, now)
    } catch {
      deviate("\(error)")
      away(.later, now)
    }
  }

  private func hear(_ message: [UInt8], _ now: Int) throws {
    note("hears \(String(decoding: message.prefix(160), as: UTF8.self))")
    var sawView = false
    let before = session
    for event in try session.receive(message.span) {
      switch event {
      case .live(let welcome): begin(welcome, now)
      case .view: sawView = true
      case .verified: verified()
      case .applied(let action): answered(action.number, model.didApply(action.number))
      case .refused(_, let nack): answered(nack.number, model.didRefuse(nack))
      case .outcomeUnknown where person?.isLeaving == true, .clients: break
      case .outcomeUnknown(let action): deviate("It is not known what became of action \(action.number).")
      case .outOfStep(let divergence):
        deviate("\(divergence)")
        say(now) { (session) throws(ClientError) in
          if let message = try session.resync(at: now) { return message }
          return try session.ack()
        }
      case .lost(let count): deviate("The server has lost \(count) actions that it had answered.")
      case .notice(let durability): deviate("What is answered survives less: \(durability).")
      case .draining(let milliseconds):
        figures.drains += 1
        figures.waits.begin(at: now)
        departure = now + backOff.delay(drainedWithin: milliseconds, using: &random)
      case .shared(let token, _):
        tokens.insert(token)
        party?.0.give(token)
      case .renewed(let expires):
        figures.renewals += 1
        person?.wasTold(expires: expires, at: now)
      case .ended(.revoked, _) where person?.isLeaving == true:
        // As one would that does not heed it.
        session = before
        leaveForGood(now)
      case .ended(let bye, let text): ended(bye, text, now)
      }
    }
    if sawView { look() }
    if session.welcome != nil { lose(now) }
    if session.outbox.isEmpty { patience = .max }
    told.withLock { told in
      told.number = session.coveredNumber
      told.count = lastView?.count ?? 0
    }
  }

  private func begin(_ welcome: Welcome, _ now: Int) {
    note("live: \(welcome.sessionID) n \(welcome.number) rev \(welcome.revision)")
    tokens.insert(welcome.token)
    if let wrong = person?.faultOfWelcome { deviate(wrong) }
    person?.wasTold(expires: welcome.identityExpires, at: now)
    heartbeat = Heartbeat(interval: welcome.heartbeat, at: now)
    backOff.succeeded()
    attempts = 0
    figures.waits.end(at: now)
    if welcome.resumed { figures.resumes += 1 } else if party?.role == .guest { figures.joins += 1 }
    if party?.role == .guest { party?.0.guestIsThere() }
    if welcome.durability == .none { deviate("The session is not durable.") }
    told.withLock { told in
      told.sessionID = welcome.sessionID
      told.clientID = welcome.clientID
      told.welcomes += 1
    }
    for message in session.resend() { link?.send(message) }
    nextPause = max(nextPause, now + 500)
  }

  private func verified() {
    figures.checks += 1
    awaitsCheck = false
    guard isFinishing, session.outbox.isEmpty, let view = lastView, view.paid == view.lastPayment else { return }
    isSettled = true
    if let deviation = model.deviation(of: view) { deviate(deviation) }
    away(.atOnce, 0)
  }

  private func ended(_ bye: Bye?, _ text: String, _ now: Int) {
    note("bye \(bye?.rawValue ?? "?"): \(text)")
    figures.waits.begin(at: now)
    if bye == .expired { figures.expiries += 1 }
    if bye == .unavailable, text.contains("by this version of the app") { figures.turnedAway += 1 }
    switch bye?.comesBack ?? .atOnce {
    case .atOnce: away(.atOnce, now)
    case .later: away(.later, now)
    case .withCredential: away(.withCredential, now)
    // The token was used up by an attempt that was not heard of.
    case .not where bye == .denied && party?.role == .guest && session.lastWelcome == nil: away(.atOnce, now)
    case .asNewSession, .whenAsked, .not:
      deviate("The server does not want it any more: \(bye?.rawValue ?? "?"), \(text)")
      isSettled = true
      away(.atOnce, now)
    }
  }
}
