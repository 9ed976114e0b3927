import ArgumentParser
import CurlTransport
import RibClient
import Wire

/// Shows a session and sends what is typed.
struct Connect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts a session, shows its view, and sends typed actions.",
    discussion: """
      Type an action, such as increment or 'select 2'; before it, #7 or @tabs[0] says for whom. An empty line shows the \
      view again; the end of the input (Ctrl-D) ends the session.
      """)

  @OptionGroup var session: SessionOptions

  func run() throws {
    let client = try session.makeClient()
    var input = LineReader()
    show(client)
    let clock = ContinuousClock()
    var lastSent = clock.now
    while true {
      // What libcurl has read already would not wake the poll.
      while try handle(client, timeout: 0) {}
      // What the server sends is no sign of the client's life: the ping is due after the client's own silence.
      let silence = lastSent.duration(to: clock.now)
      let left = Duration.milliseconds(client.pingMilliseconds) - silence
      if left <= .zero {
        try client.ping()
        lastSent = clock.now
        continue
      }
      let wait = Int(left.components.seconds) * 1000 + Int(left.components.attoseconds / 1_000_000_000_000_000) + 1
      let (hasInput, hasMessage) = Terminal.wait(client.descriptor, milliseconds: wait)
      if hasMessage { try handle(client, timeout: 10_000) }
      if hasInput {
        guard let lines = input.read() else { break }
        for line in lines where try send(line, client) { lastSent = clock.now }
      }
    }
    try report(client.settle(), client)
    try client.end()
  }

  @discardableResult
  private func handle(_ client: CurlClient, timeout: Int) throws -> Bool {
    let events: [ClientEvent]
    do {
      events = try client.receive(timeout: timeout)
    } catch let error as CurlError where error == .timedOut {
      return false
    }
    try report(events, client)
    return true
  }

  private func report(_ events: [ClientEvent], _ client: CurlClient) throws {
    for event in events {
      switch event {
      case .view: show(client)
      case .refused(let outstanding, let nack):
        Terminal.complain("refused: \(outstanding.action.text): \(nack.message) (\(nack.code.rawValue))")
      case .outcomeUnknown(let outstanding):
        Terminal.complain("not known whether it was done: \(outstanding.action.text)")
      case .ended(_, let message): throw SessionEnded(message: message)
      case .live, .applied: break
      }
    }
  }

  /// Sends a typed action, or says why not.
  ///
  /// - Returns: whether something was sent.
  private func send(_ line: String, _ client: CurlClient) throws -> Bool {
    if line.allSatisfy(\.isWhitespace) {
      show(client)
      return false
    }
    do {
      let typed = try ActionLine(parsing: line)
      try client.act(typed.action, to: typed.address ?? .path(""))
      return true
    } catch let error as ActionLineError {
      Terminal.complain(error.reason)
    } catch let error as ClientError {
      Terminal.complain("not sent: \(error)")
    }
    return false
  }

  private func show(_ client: CurlClient) {
    if let view = client.session.view { Terminal.say(ViewText.render(view)) }
  }
}

/// The server has ended the session.
private struct SessionEnded: Error, CustomStringConvertible {
  let message: String
  var description: String { "The server ended the session: \(message)" }
}
