import Wire

@testable import RibClient

/// A client with the real protocol state machine, and what it was told of its actions.
final class ModelClient {
  /// What a client was told of an action.
  struct Answer {
    let isRefused: Bool
    /// Whether the server had said that it survives a crash.
    var isDurable: Bool
  }

  let number: Int
  var session = ClientSession()
  var link: ModelLink?
  /// What it was told, by the actions' names.
  private(set) var answers: [Int: Answer] = [:]
  /// Whether it does not come back.
  private(set) var hasEnded = false
  /// Whether it has said `bye`.
  var hasSaidBye = false
  private var actionCount = 0
  /// Tokens that it got to hand on.
  var tokens: [String] = []
  /// Whether what it is told survives a crash.
  private var isDurable = true
  /// Whether it was told once that it does not: then much may be gone.
  private(set) var wasWarned = false
  /// Whether the view that it shows does.
  private(set) var hasDurableView = true
  private let isQuiet: Bool

  /// A client that has said nothing.
  init(number: Int, isQuiet: Bool) {
    self.number = number
    self.isQuiet = isQuiet
  }

  /// The name of an action, unique among those of all clients: it stays when the action is numbered anew.
  private static func name(_ outstanding: ClientSession.Outstanding) -> Int? {
    guard case .act(.object(let members)) = outstanding.action, case .integer(let name)? = members.first?.value else {
      return nil
    }
    return Int(name)
  }

  /// The actions that its view shows as done; nil if it has no view.
  var shown: [Int]? { session.view.flatMap(Self.done) }

  /// What its view shows as published last; nil if it has no view.
  var shownNews: Int? {
    guard case .integer(let number)? = session.view?["nodes"]?["1"]?["state"]?["news"] else { return nil }
    return Int(number)
  }

  /// The actions that a view shows as done.
  static func done(in view: JSONValue) -> [Int]? {
    guard case .array(let names)? = view["nodes"]?["1"]?["state"]?["done"] else { return nil }
    return names.map { if case .integer(let name) = $0 { Int(name) } else { 0 } }
  }

  // MARK: Connections

  /// Says hello on a new connection.
  func connect(_ link: ModelLink, joining token: String?) throws {
    self.link = link
    if let token {
      link.up.append(session.join(token: token))
    } else if session.lastWelcome == nil {
      link.up.append(session.hello(app: "model"))
    } else {
      link.up.append(try session.resume())
      // Without the rule it does not wait until it is told where to go on.
      if !isQuiet, let last = session.outbox.last {
        var json = JSONWriter()
        last.write(into: &json, acknowledgement: nil)
        link.up.append(json.bytes)
      }
    }
  }

  /// Gives its connection up.
  func disconnect() {
    link?.isClientGone = true
    link = nil
    session.disconnected()
    if case .ended = session.state { hasEnded = true }
  }

  // MARK: Messages

  func act(_ action: String, to: NodeAddress) throws {
    actionCount += 1
    var members = JSONObject()
    members[action] = .integer(Int64(number * 1000 + actionCount))
    link?.up.append(try session.act(.object(members), to: to))
  }

  /// Takes what the server says.
  ///
  /// - Throws: ``ModelFinding`` if that is something that a client can make nothing of.
  func receive(_ text: [UInt8]) throws {
    let events: [ClientEvent]
    do {
      events = try session.receive(text.span)
    } catch {
      throw ModelFinding(kind: .brokenProtocol, detail: "client \(number): \(error)")
    }
    // What a `welcome` says of actions has its durability.
    for case .live(let welcome) in events { note(welcome.durability) }
    for event in events { try take(event) }
  }

  private func take(_ event: ClientEvent) throws {
    switch event {
    case .live:
      link?.up += session.resend()
    case .view: hasDurableView = isDurable
    case .outOfStep(let divergence):
      throw ModelFinding(kind: .otherView, detail: "client \(number): \(divergence)")
    case .applied(let action): answer(action, isRefused: false)
    case .refused(let action, _): answer(action, isRefused: true)
    // What was told by a server that survived nothing may be lost.
    case .lost(let count) where !wasWarned:
      throw ModelFinding(kind: .lost, detail: "client \(number): the last \(count) actions, says the server")
    case .notice(let durability):
      note(durability)
      guard isDurable else { return }
      // All that was done is committed.
      hasDurableView = true
      for name in answers.keys { answers[name]?.isDurable = true }
    case .shared(let token, _): tokens.append(token)
    case .ended(let bye, let reason): try end(bye, reason)
    // It was told that these do not survive, and knows now that they have not.
    case .lost: answers = answers.filter(\.value.isDurable)
    case .verified, .outcomeUnknown, .draining: break
    }
  }

  private func answer(_ outstanding: ClientSession.Outstanding, isRefused: Bool) {
    guard let name = Self.name(outstanding) else { return }
    answers[name] = Answer(isRefused: isRefused, isDurable: isDurable)
  }

  private func note(_ durability: Welcome.Durability) {
    isDurable = durability != .none
    wasWarned = wasWarned || !isDurable
  }

  private func end(_ bye: Bye?, _ reason: String) throws {
    switch bye?.comesBack {
    case .atOnce?, .later?: disconnect()
    case _ where wasWarned || hasSaidBye:
      disconnect()
      hasEnded = true
    default: throw ModelFinding(kind: .stuck, detail: "client \(number): \(bye?.rawValue ?? "?"): \(reason)")
    }
  }
}
