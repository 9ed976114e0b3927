import CurlTransport
import Foundation
import RibClient
import RibTestSupport
import Synchronization
import Wire
import WireHTTP

/// A client of the HTTP twin in the chaos: a request without an answer is sent again as it was, until there is one, and
/// what is answered is checked against what was sent.
///
/// `@unchecked Sendable`: everything but `told` and the flags belongs to its thread, and is read by others once that has
/// ended.
final class ChaosTwin: @unchecked Sendable {
  /// What has happened to such clients, all together.
  struct Figures {
    var repetitions = 0
    var views = 0
    var unchanged = 0
    var events = 0
    /// Connections that were not made, and those that were reset before anything was answered.
    var broken = 0
  }

  /// A request that has no answer yet.
  private struct Request {
    let numbers: ClosedRange<Int>
    let body: String
    var attempts = 0
  }

  /// There is no answer for now.
  private struct Later: Error {}

  let id: Int
  /// Who it is; nil for nobody.
  private let person: ChaosPerson?
  let told = Mutex(ChaosClient.Told())
  private(set) var model = ChaosModel()
  private(set) var figures = Figures()
  private(set) var deviations: [String] = []
  /// Whether it has sent all, and the view is what comes of it.
  private(set) var isSettled = false
  private let url: String
  /// Whether nothing was asked yet on its connection: a server may close one that nothing is asked on any more.
  private var isNew = true
  private var random: SeededGenerator
  private var client: TwinClient?
  private var identity: (sessionID: String, token: String)?
  private var pending: Request?
  private var lastTag: String?
  private var lastEvent: String?
  private let isFinishing = Atomic(false)
  private let isOver = Atomic(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ id: Int, port: Int, seed: UInt64, person: ChaosPerson? = nil) {
    self.id = id
    self.person = person
    url = "http://127.0.0.1:\(port)"
    random = SeededGenerator(seed: seed, stream: 3_000_000 + UInt64(id))
    BlockingThread.start { [self] in
      while !isOver.load(ordering: .acquiring), !isSettled { live() }
      hasEnded.signal()
    }
  }

  var summary: String {
    "twin \(id): session \(identity?.sessionID ?? "none"), sent \(model.sent), counted \(model.counted), "
      + "pending \(pending.map { "\($0.numbers), \($0.attempts) attempts" } ?? "nothing")"
  }

  /// Has it send nothing new.
  func finish() { isFinishing.store(true, ordering: .releasing) }

  /// Waits until it has heard all, and ends its thread.
  func waitForEnd(within seconds: Int) {
    if hasEnded.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
      isOver.store(true, ordering: .releasing)
      hasEnded.wait()
    }
  }

  private func deviate(_ text: String) {
    if deviations.count < 5 { deviations.append("\(text) [\(summary)]") }
  }

  /// Whether a request is to be made again later: a balancer may have lost its server, and a credential may be of a key that is in use no longer.
  private func isLater(_ status: Int) -> Bool { [502, 503, 504].contains(status) || status == 401 && person != nil }

  /// What opens its session.
  var tokenOfSession: String? { identity?.token }

  // MARK: Requests

  /// One request, or what takes its place; a connection that fails is given up.
  private func live() {
    do {
      try step()
      isNew = false
    } catch {
      if client != nil, isNew, let error = error as? CurlError, error != .timedOut { figures.broken += 1 }
      client = nil
    }
    // The pace of a client is a part of the model.
    usleep(UInt32.random(in: 10_000...120_000, using: &random))
  }

  private func step() throws {
    if client == nil { isNew = true }
    let client = try self.client ?? connect()
    self.client = client
    if identity == nil { return try begin(client) }
    if pending != nil { return try send(client) }
    if isFinishing.load(ordering: .acquiring) { return try settle(client) }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<12: try look(client)
    case 12..<16: try listen(client)
    default:
      prepare()
      try send(client)
    }
  }

  /// It has less patience than a stall of the network may take.
  private func connect() throws -> TwinClient {
    let (sessionID, token) = identity ?? ("", "")
    do {
      return try TwinClient(
        url, sessionID: sessionID, token: token, timeout: 3000,
        credential: person.map { person in { person.credential() } })
    } catch {
      figures.broken += 1
      throw error
    }
  }

  private func begin(_ client: TwinClient) throws {
    let answer = try client.create(#"{"app":"ledger"}"#)
    guard answer.status == 201 else { throw Later() }
    identity = (client.sessionID, client.token)
    told.withLock { $0.sessionID = client.sessionID }
  }

  private func prepare() {
    let first = model.sent + 1
    var actions: [String] = []
    for number in first..<first + Int.random(in: 1...3, using: &random) {
      let step = model.step(&random)
      model.didSend(number)
      let to =
        switch step.to {
        case .id(let id): "\(id)"
        case .path(let path): "\"\(path)\""
        }
      actions.append(step.action.map { #"{"to":\#(to),"a":\#($0.text)}"# } ?? #"{"t":"back","to":\#(to)}"#)
    }
    pending = Request(numbers: first...model.sent, body: "[\(actions.joined(separator: ","))]")
  }

  private func send(_ client: TwinClient) throws {
    guard let request = pending else { return }
    pending?.attempts += 1
    if request.attempts > 0 { figures.repetitions += 1 }
    let answer = try client.act("\"\(request.numbers.lowerBound)\"", request.body)
    guard answer.status == 200 else {
      if !isLater(answer.status) {
        deviate("Actions \(request.numbers) were answered by \(answer.status): \(answer.body)")
      }
      throw Later()
    }
    pending = nil
    let json = try answer.json
    if json["n"]?.wholeNumber != request.numbers.upperBound { deviate("It was answered: \(answer.body)") }
    if json["durability"] != nil { deviate("What is answered survives less: \(answer.body)") }
    if let wrong = model.didAnswer(request.numbers, try Self.nacks(json)) { deviate(wrong) }
    told.withLock { told in
      told.number = model.sent
      told.count = model.counted
    }
  }

  private static func nacks(_ json: JSONValue) throws -> [Nack] {
    guard case .array(let nacks)? = json["nacks"] else { return [] }
    return try nacks.map { nack in
      guard let number = nack["n"]?.wholeNumber, let code = nack["code"]?.string.flatMap(Nack.Code.init(rawValue:))
      else { throw Later() }
      return Nack(number: number, code: code, message: nack["message"]?.string ?? "")
    }
  }

  // MARK: Views and events

  /// What is shown is what comes of all that was answered: nothing of its own is under way.
  private func look(_ client: TwinClient) throws {
    let answer = try lastTag.map { try client.view("If-None-Match: \($0)") } ?? client.view()
    switch answer.status {
    case 304: figures.unchanged += 1
    case 200:
      figures.views += 1
      lastTag = answer.headers["ETag"]
      _ = check(try answer.json)
    case let status where isLater(status): throw Later()
    case let status: deviate("The view was answered by \(status): \(answer.body)")
    }
  }

  private func check(_ json: JSONValue) -> LedgerView? {
    guard let view = LedgerView(json) else {
      deviate("The view is another one's: \(json.text)")
      return nil
    }
    if view.count != model.counted { deviate("The view counts \(view.count).") }
    model.look(at: view, covered: model.sent)
    return view
  }

  /// Is told on one connection of what it does on another.
  private func listen(_ client: TwinClient) throws {
    let stream = try connect()
    let head = try stream.open(after: lastEvent)
    guard head.status == .ok else {
      if !isLater(head.status.rawValue) { deviate("Events were answered by \(head.status.rawValue).") }
      throw Later()
    }
    guard let welcome = try stream.event(), welcome.data.contains(#""t":"welcome""#) else { throw Later() }
    if !welcome.data.contains(#""n":\#(model.sent),"#) { deviate("It was welcomed with \(welcome.data).") }
    prepare()
    try send(client)
    for _ in 0..<50 {
      guard let event = try stream.event() else { throw Later() }
      if let id = event.id { lastEvent = id }
      let json = try JSONValue(parsing: event.data)
      if let number = json["n"]?.wholeNumber, number >= model.sent { break }
    }
    figures.events += 1
    stream.cut()
  }

  private func settle(_ client: TwinClient) throws {
    let answer = try client.view()
    guard answer.status == 200, let view = check(try answer.json) else { throw Later() }
    guard view.paid == view.lastPayment else { return }
    if let deviation = model.deviation(of: view) { deviate(deviation) }
    isSettled = true
  }
}
