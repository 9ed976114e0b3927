import CurlTransport
import RibClient
import Wire

/// A session with somebody at a terminal: shows the view, sends what is typed, and comes back when the connection ends.
struct Conversation {
  private let options: SessionOptions
  private var client: CurlClient
  private var input = LineReader()
  /// What was typed and not looked at yet.
  private var lines: [String] = []
  /// Whether nothing more is typed.
  private var hasEnded = false
  /// When to leave a server that goes down.
  private var departure: ContinuousClock.Instant?

  /// Starts or joins a session.
  init(_ options: SessionOptions) throws {
    self.options = options
    client = try options.makeClient(features: [.clients])
  }

  /// Goes on until the input ends or the server does not want it.
  mutating func run() throws {
    show()
    while true {
      do {
        while try !isOver() { try wait() }
        return try client.end()
      } catch {
        if try !comeBack(after: error) { return }
      }
    }
  }

  /// Does what can be done at once.
  ///
  /// - Returns: whether everything is said and answered.
  private mutating func isOver() throws -> Bool {
    // What libcurl has read already would not wake the poll.
    while try receive(timeout: 0) {}
    while !lines.isEmpty {
      let line = lines.removeFirst()
      try say(line)
    }
    return hasEnded && client.session.outbox.isEmpty
  }

  /// Waits until something is typed or comes from the server, or it is time for something.
  private mutating func wait() throws {
    var milliseconds = try client.keepAlive() ?? .max
    if let departure {
      let left = ContinuousClock.now.duration(to: departure)
      guard left > .zero else { throw Departure() }
      milliseconds = min(milliseconds, Int(left / .milliseconds(1)) + 1)
    }
    if hasEnded {
      try receive(timeout: milliseconds)
      return
    }
    let (hasInput, hasMessage) = Terminal.wait(client.descriptor, milliseconds: milliseconds)
    if hasMessage { try receive(timeout: CurlSocket.defaultTimeout) }
    if hasInput {
      if let typed = input.read() { lines += typed } else { hasEnded = true }
    }
  }

  @discardableResult
  private mutating func receive(timeout: Int) throws -> Bool {
    let events: [ClientEvent]
    do {
      events = try client.receive(timeout: timeout)
    } catch let error as CurlError where error == .timedOut {
      return false
    }
    report(events)
    // A reason that is not known has a close code that is.
    for case .ended(let bye?, let message) in events { throw CurlClientError(bye, reason: message) }
    return true
  }

  private mutating func report(_ events: [ClientEvent]) {
    for event in events {
      switch event {
      case .view: show()
      case .outOfStep(let divergence): Terminal.complain("\(divergence) Asking for the whole view.")
      case .verified(let revision): Terminal.say("The view of revision \(revision) is the server's.")
      case .refused(let outstanding, let nack):
        Terminal.complain("refused: \(outstanding.action.text): \(nack.message) (\(nack.code.rawValue))")
      case .outcomeUnknown(let outstanding):
        Terminal.complain("not known whether it was done: \(outstanding.action.text)")
      case .lost(let count):
        Terminal.complain(
          "the server has lost the last \(count) \(count == 1 ? "action" : "actions") that it had answered")
      case .shared(let token, _): Terminal.say(token)
      case .notice(let durability): Terminal.complain("What is done now survives \(Self.survived(durability)).")
      case .clients(let clients): Terminal.complain("Connected: \(Self.named(clients, client.session.welcome)).")
      case .draining(let milliseconds):
        departure = .now + .milliseconds(client.delay(drainedWithin: milliseconds))
      case .live, .applied, .renewed, .ended: break
      }
    }
  }

  private static func named(_ clients: [ConnectedClient], _ welcome: Welcome?) -> String {
    let names = clients.map { client in
      let look = client.scope == .view ? ", to look" : ""
      return client.id == welcome?.clientID ? "you\(look)" : "client \(client.id)\(look)"
    }
    return names.joined(separator: "; ")
  }

  private static func survived(_ durability: Welcome.Durability) -> String {
    switch durability {
    case .disk: "a power cut"
    case .process: "the end of the server, but no power cut"
    case .none: "as long as the server runs"
    }
  }

  /// Sends what was typed, or says why not.
  private func say(_ line: String) throws {
    do {
      switch try TypedLine(parsing: line) {
      case .show: show()
      case .act(let typed): try client.act(typed.action, to: typed.address ?? .path(""))
      case .back: try client.back(to: .path(""))
      case .check: try client.check()
      case .share(let scope): try client.share(scope)
      }
    } catch let error as ActionLineError {
      Terminal.complain(error.reason)
    } catch let error as ClientError {
      Terminal.complain("not sent: \(error)")
    }
  }

  private func show() {
    if let view = client.session.view { Terminal.say(ViewText.render(view)) }
  }

  // MARK: Coming back

  /// Connects again, however often it takes.
  ///
  /// - Parameter error: what ended the connection.
  /// - Returns: false if there is nothing to come back for.
  /// - Throws: what the server said if it does not want the client back.
  private mutating func comeBack(after error: any Error) throws -> Bool {
    departure = nil
    var error = error
    var isNew = false
    var said = ""
    while true {
      isNew = isNew || CurlClient.comesBack(after: error) == .asNewSession
      let delay = error is Departure ? 0 : client.delay(after: error)
      guard let delay, !isNew || options.join == nil else {
        report(client.abandon())
        throw error
      }
      if isNew {
        report(client.abandon())
        if hasEnded { return false }
      }
      let intention = isNew ? "Starting anew." : "Connecting again."
      if intention != said { Terminal.complain("\(error) \(intention)") }
      said = intention
      Terminal.sleep(milliseconds: delay)
      do {
        if isNew {
          client = try options.connect(features: [.clients])
          show()
        } else {
          try client.reconnect { self.report($0) }
        }
        return true
      } catch let next {
        error = next
      }
    }
  }
}

/// It is time to leave a server that goes down.
private struct Departure: Error, CustomStringConvertible {
  var description: String { "The server goes down." }
}
