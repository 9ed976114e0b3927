import Foundation
import RibClient
import Testing
import Wire

/// Conversations that were recorded with a server, replayed step by step; the client for browsers replays the same.
@Suite struct ConversationTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Conversations").standardized

  private static let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    .filter { $0.hasSuffix(".json") }.sorted()

  @Test func conversations_areThere() { #expect((Self.files ?? []).count >= 18) }

  @Test(arguments: files ?? [])
  func client_saysWhatItSaidThen(_ name: String) throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
    let steps = try #require(try JSONValue(parsing: text)["steps"]?.elements, "\(name) has no steps")
    var replay = Replay()
    for (index, step) in steps.enumerated() where Replay.isOfClient(step) {
      try replay.take(step, "\(name), step \(index): \(step.text)")
    }
    replay.expectNothingSaid("\(name), at its end")
  }
}

/// A client, and what it has said and learned that no step has asked for yet.
private struct Replay {
  private var session = ClientSession()
  private var said: [JSONValue] = []
  private var outcomes: [String] = []
  private var lost = 0
  private var ended: String?
  private var now = 0

  /// What stands beside the kind of a step.
  private static let remarks: Set = ["throws", "note", "isLost", "arrivesAs"]

  /// Whether a step reaches the client or comes from it; the others concern the server alone.
  static func isOfClient(_ step: JSONValue) -> Bool {
    step["other"] == nil && step["server"] == nil && (step["S"] == nil || step["isLost"] == nil)
  }

  /// Does a step, or compares with it.
  mutating func take(_ step: JSONValue, _ comment: Comment) throws {
    guard case .object(let members) = step,
      let (kind, value) = members.first(where: { !Self.remarks.contains($0.key) })
    else { throw ReplayError() }
    if kind != "C" { expectNothingSaid(comment) }
    switch kind {
    case "connect":
      session.features = value["features"]?.elements?.compactMap { $0.string.flatMap(ClientFeature.init) } ?? []
      if let token = value["share"]?.string {
        try say(session.join(token: token))
      } else {
        try say(session.hello(app: try #require(value["app"]?.string), parameters: value["params"]))
      }
    case "C":
      #expect(said.first == value, comment)
      if !said.isEmpty { said.removeFirst() }
    case "S" where members["throws"] != nil:
      #expect(throws: ClientError.self, comment) { try session.receive(Array(value.text.utf8).span) }
    case "S": try learn(session.receive(Array(value.text.utf8).span))
    case "act": try say(session.act(try #require(value["a"]), to: try Self.address(value["to"])))
    case "back": try say(session.back(to: try Self.address(value["to"])))
    case "ack": try say(session.ack())
    case "ping": try say(session.ping())
    case "check": try say(session.check())
    case "share": try say(session.share(try #require(value.string.flatMap(ShareScope.init(rawValue:)))))
    case "end": try say(session.bye())
    case "cut":
      session.disconnected()
      if session.isAway { try say(session.resume()) }
    case "view": #expect(session.view == value, comment)
    case "outcomes":
      #expect(outcomes == value.elements?.map { Self.known($0.string ?? "") }, comment)
      outcomes = []
    case "pending": #expect(.array(session.outbox.map { .integer(Int64($0.number)) }) == value, comment)
    case "lost":
      #expect(.integer(Int64(lost)) == value, comment)
      lost = 0
    case "ended": #expect(ended == value.string, comment)
    default: Issue.record("there is no such step: \(comment)")
    }
  }

  func expectNothingSaid(_ comment: Comment) {
    #expect(said.isEmpty, "\(comment) comes before what the client has said: \(said.map(\.text))")
  }

  private mutating func say(_ message: [UInt8]) throws {
    let json = try JSONValue(parsing: String(decoding: message, as: UTF8.self))
    if case .array(let messages) = json { said += messages } else { said.append(json) }
  }

  private mutating func learn(_ events: [ClientEvent]) throws {
    for event in events {
      switch event {
      case .live: for message in session.resend() { try say(message) }
      case .outOfStep: if let message = try session.resync(at: now) { try say(message) }
      case .applied(let action): outcomes.append("applied \(action.number)")
      case .refused(let action, let nack): outcomes.append("refused \(action.number) \(nack.code.rawValue)")
      case .outcomeUnknown(let action): outcomes.append("unknown \(action.number)")
      case .lost(let count): lost += count
      case .ended(let bye, _): ended = bye.map { "\($0.rawValue)" }
      case .view, .verified, .renewed, .shared, .notice, .clients, .draining: break
      }
    }
  }

  /// An outcome as this client tells it: a code that it does not know is `failed` to it.
  private static func known(_ outcome: String) -> String {
    let words = outcome.split(separator: " ")
    guard words.count == 3, Nack.Code(rawValue: String(words[2])) == nil else { return outcome }
    return "\(words[0]) \(words[1]) \(Nack.Code.failed.rawValue)"
  }

  private static func address(_ value: JSONValue?) throws -> NodeAddress {
    switch value {
    case .integer(let id)?: .id(Int(id))
    case .string(let path)?: .path(path)
    default: throw ReplayError()
    }
  }
}

private struct ReplayError: Error {}

extension JSONValue {
  fileprivate var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
