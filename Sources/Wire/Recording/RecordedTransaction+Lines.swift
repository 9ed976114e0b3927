/// The keys in the lines of a recording, each defined once.
enum RecordingKey {
  static let action: StaticString = "action"
  static let active: StaticString = "active"
  static let code: StaticString = "code"
  static let draws: StaticString = "draws"
  static let effect: StaticString = "effect"
  static let failed: StaticString = "failed"
  static let issuer: StaticString = "issuer"
  static let key: StaticString = "key"
  static let message: StaticString = "message"
  static let node: StaticString = "node"
  static let opaque: StaticString = "opaque"
  static let output: StaticString = "output"
  static let refused: StaticString = "refused"
  static let roles: StaticString = "roles"
  static let snapshot: StaticString = "snapshot"
  static let subject: StaticString = "subject"
  static let time: StaticString = "at"
  static let transaction: StaticString = "tx"
  static let type: StaticString = "type"
}

/// The kinds of lines in a recording: the values of `t`.
enum RecordingKind {
  static let act: StaticString = "act"
  static let active: StaticString = "active"
  static let back: StaticString = "back"
  static let ended: StaticString = "ended"
  static let report: StaticString = "report"
  static let restore: StaticString = "restore"
  static let session: StaticString = "session"
  static let start: StaticString = "start"
  static let walk: StaticString = "walk"
}

// MARK: Writing

extension RecordedTransaction {
  /// Writes the transaction as a line, without the line's end.
  package func write(into json: inout JSONWriter) {
    json.message(kind) { json in
      if let number {
        json.key(RecordingKey.transaction)
        json.integer(number)
      }
      json.member(RecordingKey.time, time)
      event.write(into: &json)
      if !draws.isEmpty {
        json.key(RecordingKey.draws)
        json.beginArray()
        for draw in draws {
          json.beginObject()
          json.key(draw.name)
          json.line(draw.value)
          json.endObject()
        }
        json.endArray()
      }
      outcome.write(into: &json)
    }
  }

  private var kind: StaticString {
    switch event {
    case .start: RecordingKind.start
    case .restore: RecordingKind.restore
    case .act: RecordingKind.act
    case .back: RecordingKind.back
    case .setActive: RecordingKind.active
    case .report: RecordingKind.report
    case .ended: RecordingKind.ended
    case .walk: RecordingKind.walk
    }
  }
}

extension RecordedTransaction.Event {
  fileprivate func write(into json: inout JSONWriter) {
    switch self {
    case .start: break
    case .restore(let snapshot): json.member(RecordingKey.snapshot, json: snapshot)
    case .act(let client, let address, let action):
      client?.write(into: &json)
      json.member(MessageKey.to, address)
      json.member(MessageKey.action, json: action)
    case .back(let client, let address):
      client?.write(into: &json)
      json.member(MessageKey.to, address)
    case .setActive(let isActive):
      json.key(RecordingKey.active)
      json.bool(isActive)
    case .report(let effect, let report):
      effect.write(into: &json)
      switch report {
      case .action(let text): json.member(RecordingKey.action, json: text)
      case .output(let text): json.member(RecordingKey.output, json: text)
      case .opaque(let text): json.member(RecordingKey.opaque, text)
      }
    case .ended(let effect, let hasFailed):
      effect.write(into: &json)
      guard hasFailed else { return }
      json.key(RecordingKey.failed)
      json.bool(true)
    case .walk(let node, let type):
      json.member(RecordingKey.node, node)
      json.member(RecordingKey.type, type)
    }
  }
}

extension RecordedTransaction.Client {
  fileprivate func write(into json: inout JSONWriter) {
    json.member(MessageKey.client, id)
    json.member(MessageKey.number, number)
    json.member(RecordingKey.subject, subject)
    json.member(RecordingKey.issuer, issuer)
    guard !roles.isEmpty else { return }
    json.key(RecordingKey.roles)
    json.beginArray()
    for role in roles { json.string(role) }
    json.endArray()
  }
}

extension RecordedTransaction.Effect {
  fileprivate func write(into json: inout JSONWriter) {
    json.member(RecordingKey.node, node)
    json.member(RecordingKey.type, type)
    json.member(RecordingKey.key, key)
    json.member(RecordingKey.effect, id)
  }
}

extension RecordedTransaction.Outcome {
  fileprivate func write(into json: inout JSONWriter) {
    switch self {
    case .nothing: break
    case .view(let text): json.member(MessageKey.view, json: text)
    case .patch(let text): json.member(MessageKey.operations, json: text)
    case .refused(let code, let message):
      json.key(RecordingKey.refused)
      json.beginObject()
      json.member(RecordingKey.code, code.rawValue)
      json.member(RecordingKey.message, message)
      json.endObject()
    }
  }
}

extension JSONWriter {
  /// Writes a member whose value is JSON text, on one line.
  mutating func member(_ key: StaticString, json text: String) {
    self.key(key)
    line(text)
  }

  /// Writes JSON text on one line: line ends can occur between two tokens of what a client has sent, and nowhere else,
  /// so each becomes a space.
  fileprivate mutating func line(_ text: String) {
    let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let bytes = Array(text.utf8)
    raw(bytes.contains(where: isEnd) ? bytes.map { isEnd($0) ? UInt8(ascii: " ") : $0 } : bytes)
  }
}

// MARK: Reading

extension RecordedTransaction {
  /// Reads a line of the given kind.
  ///
  /// - Throws: ``MessageError`` if a member is missing or the kind is unknown.
  init(_ json: JSONElement, kind: String) throws(MessageError) {
    event = try Event(json, kind: kind)
    number = json[RecordingKey.transaction]?.integer(UInt64.self)
    time = json[RecordingKey.time]?.integer() ?? 0
    draws =
      json[RecordingKey.draws].map { draws in
        draws.elements.flatMap { element in
          var draws: [Draw] = []
          element.forEachMember { draws.append(Draw(name: $0.string ?? "", value: $1.source)) }
          return draws
        }
      } ?? []
    if let refusal = json[RecordingKey.refused] {
      guard let code = refusal[RecordingKey.code]?.name.flatMap(Nack.Code.init(rawValue:)) else {
        throw MessageError("A refusal has no code that is known.")
      }
      outcome = .refused(code, refusal[RecordingKey.message]?.string ?? "")
    } else if let view = json[MessageKey.view] {
      outcome = .view(view.source)
    } else if let operations = json[MessageKey.operations] {
      outcome = .patch(operations.source)
    } else {
      outcome = .nothing
    }
  }
}

extension RecordedTransaction.Event {
  fileprivate init(_ json: JSONElement, kind: String) throws(MessageError) {
    switch kind {
    case RecordingKind.start.text: self = .start
    case RecordingKind.restore.text: self = .restore(try json.required(RecordingKey.snapshot).source)
    case RecordingKind.act.text:
      self = .act(
        json.client, to: try NodeAddress(json[MessageKey.to], in: RecordingKind.act),
        action: try json.required(MessageKey.action).source)
    case RecordingKind.back.text:
      self = .back(json.client, to: try NodeAddress(json[MessageKey.to], in: RecordingKind.back))
    case RecordingKind.active.text: self = .setActive(try json.required(RecordingKey.active).bool == true)
    case RecordingKind.report.text: self = .report(try .init(json), try .init(json))
    case RecordingKind.ended.text:
      self = .ended(try .init(json), hasFailed: json[RecordingKey.failed]?.bool == true)
    case RecordingKind.walk.text:
      self = .walk(node: try json.node(), type: json[RecordingKey.type]?.string ?? "?")
    default: throw MessageError("There is no kind of line \"\(kind)\".")
    }
  }
}

extension RecordedTransaction.Effect {
  fileprivate init(_ json: JSONElement) throws(MessageError) {
    self.init(
      node: try json.node(), type: json[RecordingKey.type]?.string ?? "?",
      key: try json.required(RecordingKey.key).string ?? "", id: json[RecordingKey.effect]?.string)
  }
}

extension RecordedTransaction.Report {
  fileprivate init(_ json: JSONElement) throws(MessageError) {
    if let action = json[RecordingKey.action] {
      self = .action(action.source)
    } else if let output = json[RecordingKey.output] {
      self = .output(output.source)
    } else {
      self = .opaque(try json.required(RecordingKey.opaque).string ?? "")
    }
  }
}

extension JSONElement {
  fileprivate var client: RecordedTransaction.Client? {
    guard let id: Int = self[MessageKey.client]?.integer(), let number: Int = self[MessageKey.number]?.integer() else {
      return nil
    }
    let roles = self[RecordingKey.roles]?.elements.compactMap(\.string) ?? []
    return .init(
      id: id, number: number, subject: self[RecordingKey.subject]?.string, issuer: self[RecordingKey.issuer]?.string,
      roles: roles)
  }

  fileprivate func node() throws(MessageError) -> Int {
    guard let node: Int = try required(RecordingKey.node).integer() else {
      throw MessageError("\"node\" is no number.")
    }
    return node
  }

  /// A member that the line must have.
  fileprivate func required(_ key: StaticString) throws(MessageError) -> JSONElement {
    guard let value = self[key] else { throw MessageError("The line has no \"\(key)\".") }
    return value
  }
}

extension StaticString {
  fileprivate var text: String { description }
}
