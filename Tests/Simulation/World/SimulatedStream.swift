import RibClient
import Wire
import WireHTTP

/// A twin's connection: the events of its session, which it follows as long as it is there.
///
/// It has a witness of its own: the answers to the twin's requests come by other ways, earlier or later.
final class SimulatedStream: CallerOwner {
  /// Among those of all clients.
  private let number: Int
  private unowned let twin: SimulatedTwin
  private unowned let world: World
  private let session: String
  private let token: String
  private var mirror = ViewMirror()
  private var witness: Witness
  private var refusals: Refusals
  /// Whether its session has welcomed it, on the connection that it has.
  private(set) var isLive = false
  private(set) var hasEnded = false
  private var isAway = false
  private let caller: SimulatedCaller
  /// How often it has asked for the events.
  private var tryCount = 0
  private var reader = JSONReader()
  private var head: ResponseHead?
  /// When it has asked for them, in nanoseconds.
  private var askTime: UInt64 = 0

  /// A stream that was not asked for.
  ///
  /// - Parameters:
  ///   - twin: whose it is.
  ///   - session: the name of the twin's session.
  ///   - token: the twin's.
  init(of twin: SimulatedTwin, _ session: String, _ token: String) {
    self.twin = twin
    world = twin.world
    (self.session, self.token) = (session, token)
    number = twin.number + 20
    witness = Witness(number)
    refusals = Refusals(of: "stream \(number)")
    caller = SimulatedCaller(number, "stream", in: world)
    caller.owner = self
  }

  /// The document that it shows; nil before the first one.
  var document: JSONValue? { mirror.view }
  /// What its document shows.
  var view: JournalView? { JournalView(mirror.view) }

  /// The epoch and the revision of that; nil if it is no view of its session any more.
  var tag: String? { mirror.revision > 0 ? "\(mirror.epoch).\(mirror.revision)" : nil }

  // MARK: Connecting

  /// Asks for the events, now or as soon as there is a server.
  func goOn() {
    isAway = false
    connect()
  }

  /// Gives its connection up, and does not come back by itself.
  func goAway() {
    isAway = true
    hangUp()
  }

  /// Does not come back.
  func end() {
    hasEnded = true
    hangUp()
  }

  private func connect() {
    guard caller.link == nil, !isAway, !hasEnded else { return }
    caller.connect()
  }

  func connected() {
    head = nil
    askTime = world.scheduler.now
    tryCount += 1
    let last = tag.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    let request = """
      GET /v1/sessions/\(session)/events HTTP/1.1\r\nHost: localhost\r\nRiblet-Token: \(token)\r\n\
      Riblet-Try: \(tryCount)\r\n\(twin.credential)\(last)\r\n
      """
    caller.link?.send(Array(request.utf8))
    // A server that does not answer is left alone.
    caller.after(30_000) { [weak self] in if let self, !isLive { disconnect(.atOnce) } }
  }

  func callAgain() { connect() }

  private func hangUp() {
    isLive = false
    caller.hangUp()
  }

  private func disconnect(_ ending: Bye.Return) {
    hangUp()
    comeBack(ending)
  }

  private func comeBack(_ ending: Bye.Return) {
    mirror.comeBack()
    if !caller.comeBack(ending) { end() }
  }

  func wasCut(_: SimulatedLink) {
    isLive = false
    comeBack(.atOnce)
  }

  // MARK: Events

  func received() throws {
    let link = caller.link
    if head == nil, let head = try caller.responses.nextHead(from: &caller.buffer) {
      self.head = head
      guard head.status == .ok else { return try refused(head) }
      world.figures.note("streams")
    }
    guard head != nil else { return }
    while caller.link === link, let event = nextEvent() { try take(event.id, event.data) }
  }

  /// Takes the next event that is whole; comments are passed over.
  private func nextEvent() -> (id: String?, data: String)? {
    while true {
      let text = caller.buffer.withUnread { bytes in
        bytes.withUnsafeBufferPointer { bytes -> String? in
          let end = bytes.indices.dropFirst().first { bytes[$0 - 1] == 0x0A && bytes[$0] == 0x0A }
          return end.map { String(decoding: bytes[...$0], as: UTF8.self) }
        }
      }
      guard let text else { return nil }
      caller.buffer.consume(text.utf8.count)
      var fields: [Substring: Substring] = [:]
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { fields[parts[0]] = parts[1].drop { $0 == " " } }
      }
      if let data = fields["data"] { return (fields["id"].map { String($0) }, String(data)) }
    }
  }

  private func refused(_ head: ResponseHead) throws(Finding) {
    let status = head.status
    world.note("to stream \(number): \(status.rawValue)")
    switch status.rawValue {
    case 503: disconnect(.later)
    case 401 where head.asksForCredential: disconnect(.later)
    case 403 where twin.holder.mayBeRevoked: end()
    case 401 where mayBeGone, 404 where mayBeGone, 410 where mayBeGone: end()
    default: throw Finding(.forgotten, "stream \(number) was answered \(status.rawValue)")
    }
  }

  /// Whether nothing is wrong if its session is not there.
  private var mayBeGone: Bool { twin.isLeaving || world.mayForget || witness.wasWarned || twin.witness.wasWarned }

  private func take(_ id: String?, _ data: String) throws {
    world.note("to stream \(number): \(id ?? "") \(data)")
    let message = try ServerMessage(try reader.read(data).root)
    var shown: String?
    switch message {
    case .welcome(let welcome) where !isLive && welcome.sessionID == session: try begin(welcome)
    case .snap(let epoch, let revision, _, let view) where isLive:
      mirror.show(view, epoch: epoch, revision: revision)
      shown = "\(epoch).\(revision)"
    case .patch(let revision, let base, _, let operations, let hash) where isLive:
      let outcome = mirror.apply(operations, base: base, revision: revision, hash: hash)
      guard case .applied = outcome else { throw Finding(.otherView, "stream \(number): \(outcome)") }
      shown = "\(mirror.epoch).\(revision)"
    case .notice(let durability):
      witness.note(durability)
      if witness.isDurable { witness.allIsCommitted() }
    // What the twin's answers say as well.
    case .nack(let nack):
      try refusals.hear(nack)
      try check(nack)
    case .drain(let milliseconds): connectAgain(within: milliseconds)
    case .bye(let bye, let reason): try end(bye, reason)
    default: throw Finding(.brokenProtocol, "stream \(number) was sent \(data)")
    }
    guard id == shown else { throw Finding(.brokenProtocol, "stream \(number) was sent \(data) as \(id ?? "nothing")") }
    guard shown != nil else { return }
    try compare()
    if let view { try world.checkShown(try witness.see(view.done)) }
  }

  /// What the stream and the twin show under the same name is the same.
  func compare() throws(Finding) {
    guard let tag, tag == twin.tag, document != twin.document else { return }
    throw Finding(
      .otherView, "stream \(number) shows \(document?.text ?? "") as \(tag), its twin \(twin.document?.text ?? "")")
  }

  private func begin(_ welcome: Welcome) throws(Finding) {
    refusals.acknowledge(twin.acknowledgedNumber)
    try refusals.begin(
      welcome.nacks, upTo: welcome.number, mayLack: witness.wasWarned || twin.witness.wasWarned)
    for nack in welcome.nacks { try check(nack) }
    guard twin.holder.mayBeWelcome(at: caller.link?.process, since: askTime) else {
      throw Finding(.overstayed, "stream \(number) had to leave, and is welcome")
    }
    isLive = true
    caller.resetBackOff()
    mirror.join(epoch: welcome.epoch)
    witness.note(welcome.durability)
    if welcome.durability == .disk { witness.beginAnew() }
  }

  private func check(_ nack: Nack) throws(Finding) {
    guard let name = twin.names[nack.number] else {
      throw Finding(.brokenProtocol, "stream \(number) was told \(nack), and its twin has not done that")
    }
    try world.check(name, nack)
  }

  private func connectAgain(within milliseconds: Int) {
    caller.afterDrain(within: milliseconds) { [weak self] in
      guard let self else { return }
      hangUp()
      caller.planCall(after: 0)
    }
  }

  private func end(_ bye: Bye?, _ reason: String) throws(Finding) {
    switch bye?.comesBack {
    case .atOnce?: disconnect(.atOnce)
    case .later?: disconnect(.later)
    case .withCredential? where twin.holder.shows: disconnect(.atOnce)
    case _ where bye == .revoked && twin.holder.mayBeRevoked: end()
    case _ where mayBeGone && bye != .poisoned: end()
    default: throw Finding(.forgotten, "stream \(number): \(bye?.rawValue ?? "?"): \(reason)")
    }
  }
}
