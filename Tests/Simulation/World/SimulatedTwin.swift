import RibClient
import Wire
import WireHTTP

/// A client of the HTTP twin: a request without an answer is sent again as it was, until there is one.
final class SimulatedTwin: CallerOwner {
  /// A request, and what its answer is for.
  private enum Request {
    case create
    case view
    /// Actions, by their names; the first one's number.
    case act([Int], first: Int, body: String)
    case end
    /// The view of a session that has ended.
    case nothing
  }

  let number: Int
  unowned let world: World
  private(set) var witness: Witness
  let holder: Holder
  /// Its last view, and the epoch and the revision of that.
  private(set) var document: JSONValue?
  private(set) var tag: String?
  /// What its last view showed.
  var view: JournalView? { JournalView(document) }
  /// The events of its session; nil if it does not follow them, or has none.
  private(set) var stream: SimulatedStream?
  /// Whether it does not come back.
  private(set) var hasEnded = false
  private(set) var goneCount = 0
  private var identity: (session: String, token: String)?
  /// What has no answer yet.
  private var pending: Request? { didSet { sendCount = 0 } }
  /// How often it was sent.
  private var sendCount = 0
  /// When it was sent last, in nanoseconds.
  private var sendTime: UInt64 = 0
  private let caller: SimulatedCaller
  private var isAway = false
  private var actionCount = 0
  /// The number of its last action.
  private var lastNumber = 0
  /// Its actions' names, by their numbers.
  private(set) var names: [Int: Int] = [:]
  /// The action up to which it has let the server forget refusals.
  private(set) var acknowledgedNumber = 0
  private var head: ResponseHead?

  /// A client that has said nothing.
  ///
  /// - Parameters:
  ///   - number: among those of all clients.
  ///   - holder: who it is.
  ///   - world: where it is.
  init(_ number: Int, _ holder: Holder, in world: World) {
    self.number = number
    self.holder = holder
    self.world = world
    witness = Witness(number)
    caller = SimulatedCaller(number, "twin", in: world)
    caller.owner = self
  }

  /// Whether it has no request under way.
  var isQuiet: Bool { hasEnded || pending == nil && identity != nil && hasSeenAll }
  /// Whether its view was asked for since it was told of an action.
  private var hasSeenAll = true
  /// Whether it may act.
  var isLive: Bool { !hasEnded && !isAway && identity != nil }
  /// Whether it has asked for the end of its session.
  var isLeaving: Bool {
    switch pending {
    case .end?, .nothing?: true
    default: hasEnded
    }
  }

  // MARK: Asking

  /// Makes a session, or goes on with what has no answer.
  func goOn() {
    isAway = false
    if identity == nil, pending == nil { pending = .create }
    send()
    stream?.goOn()
  }

  /// Gives its connection up, and does not come back by itself.
  func goAway() {
    isAway = true
    caller.hangUp()
    stream?.goAway()
  }

  /// Acts, unless it waits for an answer.
  func act(_ choice: UInt64) {
    guard isLive, pending == nil else { return }
    var choices = SimulationRandom(seed: choice, stream: 0)
    var names: [Int] = []
    var actions: [String] = []
    for _ in 0..<(1 + choices.below(3)) {
      actionCount += 1
      let name = number * 10_000 + actionCount
      let action = JournalAction(name, choices.next())
      names.append(name)
      self.names[lastNumber + names.count] = name
      world.note(action)
      actions.append(#"{"to":"\#(action.path)","a":\#(action.json.text)}"#)
    }
    acknowledgedNumber = lastNumber
    world.note("twin \(number): \(names)")
    pending = .act(names, first: lastNumber + 1, body: "[\(actions.joined(separator: ","))]")
    send()
  }

  /// Asks for the view, unless it waits for an answer.
  func look() {
    guard isLive, pending == nil else { return }
    pending = .view
    send()
  }

  /// Ends its session, unless it waits for an answer.
  func leave() {
    guard isLive, pending == nil else { return }
    pending = .end
    send()
  }

  private func send() {
    guard let pending, !isAway, !hasEnded else { return }
    guard let link = caller.link else { return caller.connect() }
    var request = ""
    let authorization = (identity.map { "Riblet-Token: \($0.token)\r\n" } ?? "") + credential
    sendTime = world.scheduler.now
    let path = identity.map { "/v1/sessions/\($0.session)" } ?? ""
    switch pending {
    case .create: request = Self.request("POST", "/v1/sessions", authorization, #"{"app":"journal"}"#)
    case .view, .nothing:
      let last = tag.map { "If-None-Match: \"\($0)\"\r\n" } ?? ""
      request = Self.request("GET", "\(path)/view", authorization + last, "")
    case .end: request = Self.request("DELETE", path, authorization, "")
    case .act(_, let first, let body):
      request = Self.request("POST", "\(path)/actions", authorization + "Idempotency-Key: \"\(first)\"\r\n", body)
    }
    link.send(Array(request.utf8))
    sendCount += 1
    // A server that does not answer is left alone.
    caller.after(20_000) { [weak self] in
      guard let self, self.pending != nil else { return }
      caller.hangUp()
      caller.comeBack(.atOnce)
    }
  }

  /// The field of a request that says who it is, with a new credential.
  var credential: String {
    guard holder.shows, let person = holder.person else { return "" }
    return "Authorization: Bearer \(world.issuer.issue(to: person))\r\n"
  }

  private static func request(_ method: String, _ path: String, _ fields: String, _ body: String) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
  }

  func connected() {
    head = nil
    send()
  }

  func callAgain() { send() }

  func wasCut(_: SimulatedLink) { if pending != nil { caller.comeBack(.atOnce) } }

  // MARK: Answers

  func received() throws {
    let link = caller.link
    while caller.link === link, let (head, body) = try nextAnswer() { try take(head, body) }
  }

  private func nextAnswer() throws -> (ResponseHead, String)? {
    if head == nil { head = try caller.responses.nextHead(from: &caller.buffer) }
    guard let head else { return nil }
    let count = head.status == .notModified || head.status == .noContent ? 0 : head.contentLength ?? 0
    guard caller.buffer.count >= count else { return nil }
    let body = caller.buffer.withUnread { bytes in
      bytes.withUnsafeBufferPointer { String(decoding: $0.prefix(count), as: UTF8.self) }
    }
    caller.buffer.consume(count)
    self.head = nil
    return (head, body)
  }

  private func take(_ head: ResponseHead, _ body: String) throws {
    world.note("to twin \(number): \(head.status.rawValue) \(body)")
    guard let request = pending else { throw Finding(.brokenProtocol, "twin \(number) was answered unasked: \(body)") }
    let status = head.status.rawValue
    let wasSentOnce = sendCount == 1
    // With a credential that is not taken it gets another one.
    if status == 503 || status == 408 || status == 401 && head.asksForCredential {
      caller.hangUp()
      caller.comeBack(.later)
      return
    }
    caller.resetBackOff()
    pending = nil
    caller.cancelTimers()
    if status == 403, holder.mayBeRevoked { return end(isSure: false) }
    if status < 400, !holder.mayBeWelcome(at: caller.link?.process, since: sendTime) {
      throw Finding(.overstayed, "twin \(number) is answered \(status): \(body)")
    }
    switch (request, status) {
    case (.create, 201): try begin(try JSONValue(parsing: body))
    case (.view, 304): hasSeenAll = true
    case (.view, 200):
      hasSeenAll = true
      // A view does not say whether it survives.
      if caller.link?.process.goesOnInMemory == true { witness.note(.none) }
      tag = head.headers["ETag"].map { String($0.dropFirst().dropLast()) }
      document = try JSONValue(parsing: body)
      try stream?.compare()
      if let view { try world.checkShown(try witness.see(view.done)) }
    // What a process did in memory alone another one need not know.
    case (.end, 204) where caller.link?.process.goesOnInMemory == true: end(isSure: false)
    case (.end, 204):
      pending = .nothing
      send()
    // If it was asked before, it may be gone by now.
    case (.end, 404) where !wasSentOnce, (.end, 410) where !wasSentOnce: end()
    case (.nothing, 401), (.nothing, 404), (.nothing, 410): end()
    case (.nothing, _):
      throw Finding(.kept, "twin \(number) has ended its session, and was answered \(status): \(body)")
    case (.act(let names, let first, _), 200): try note(try JSONValue(parsing: body), of: names, first)
    case (_, 404) where world.mayForget, (_, 410) where world.mayForget:
      goneCount += 1
      end()
    case (_, 404) where witness.wasWarned, (_, 409) where witness.wasWarned, (_, 410) where witness.wasWarned:
      end(isSure: false)
    default: throw Finding(.forgotten, "twin \(number) was answered \(status): \(body)")
    }
  }

  /// Does not come back.
  ///
  /// - Parameter isSure: whether its session is gone for all: then its stream is to be told so.
  private func end(isSure: Bool = true) {
    hasEnded = true
    caller.hangUp()
    if !isSure { stream?.end() }
  }

  private func begin(_ json: JSONValue) throws {
    guard case .string(let session)? = json["sid"], case .string(let token)? = json["token"] else {
      throw Finding(.brokenProtocol, "twin \(number) has got a session without a name: \(json.text)")
    }
    identity = (session, token)
    noteDurability(json)
    holder.wasTold(expires: nil, at: world.scheduler.now, grace: 0, isDurable: witness.isDurable)
    guard caller.random.oneIn(2) else { return }
    stream = SimulatedStream(of: self, session, token)
    stream?.goOn()
  }

  /// An answer says what it survives, unless that is all.
  private func noteDurability(_ json: JSONValue) {
    var durability = Welcome.Durability.disk
    if case .string(let text)? = json["durability"] { durability = Welcome.Durability(rawValue: text) ?? .none }
    witness.note(durability)
    if durability == .disk { witness.beginAnew() }
  }

  private func note(_ json: JSONValue, of names: [Int], _ first: Int) throws {
    lastNumber = first + names.count - 1
    hasSeenAll = false
    guard case .integer(let covered)? = json["n"], Int(covered) == lastNumber else {
      throw Finding(.brokenProtocol, "twin \(number) was answered \(json.text) to \(names)")
    }
    noteDurability(json)
    var nacks = try Self.nacks(json)
    for (offset, name) in names.enumerated() {
      let nack = nacks.first?.number == first + offset ? nacks.removeFirst() : nil
      try world.answered(name, nack)
      try witness.answer(name, isRefused: nack != nil)
    }
    guard nacks.isEmpty else {
      throw Finding(.otherAnswer, "twin \(number) was answered \(json.text) to \(names) from \(first) on")
    }
  }

  private static func nacks(_ json: JSONValue) throws -> ArraySlice<Nack> {
    guard case .array(let nacks)? = json["nacks"] else {
      throw Finding(.brokenProtocol, "an answer has no refusals: \(json.text)")
    }
    return try nacks.map { nack in
      guard case .integer(let number)? = nack["n"], case .string(let text)? = nack["code"],
        let code = Nack.Code(rawValue: text), case .string(let message)? = nack["message"]
      else { throw Finding(.brokenProtocol, "an answer has a refusal without a reason: \(json.text)") }
      return Nack(number: Int(number), code: code, message: message)
    }[...]
  }
}

extension ResponseHead {
  /// Whether a credential is to be shown, or another one.
  var asksForCredential: Bool { headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true }
}
