/// The name of the subprotocol, for `Sec-WebSocket-Protocol`.
public let subprotocol = "riblet.v1.json"

/// The greatest number that a message may hold: up to it a double represents every integer.
package let largestNumber = (1 << 53) - 1

/// The most bytes of a name of the protocol: of an app, a session, an epoch, a feature, an action, of a path to a node, and
/// of a token.
///
/// No server gives longer ones, and a text that is longer is looked up nowhere.
package let longestName = 256

/// The keys of messages, each defined once.
enum MessageKey {
  static let kind: StaticString = "t"
  static let acknowledgement: StaticString = "ack"
  static let action: StaticString = "a"
  static let actionBurst: StaticString = "actionBurst"
  static let actionsPerSecond: StaticString = "actionsPerSecond"
  static let app: StaticString = "app"
  static let attempt: StaticString = "try"
  static let auth: StaticString = "auth"
  static let base: StaticString = "base"
  static let build: StaticString = "build"
  static let client: StaticString = "client"
  static let clientID: StaticString = "cid"
  static let clients: StaticString = "clients"
  static let code: StaticString = "code"
  static let durability: StaticString = "durability"
  static let epoch: StaticString = "epoch"
  static let expires: StaticString = "expires"
  static let features: StaticString = "features"
  static let hash: StaticString = "hash"
  static let heartbeat: StaticString = "heartbeat"
  static let limits: StaticString = "limits"
  static let locale: StaticString = "locale"
  static let message: StaticString = "message"
  static let messageBytes: StaticString = "messageBytes"
  static let nacks: StaticString = "nacks"
  static let nacksOmitted: StaticString = "nacksOmitted"
  static let name: StaticString = "name"
  static let number: StaticString = "n"
  static let operations: StaticString = "ops"
  static let parameters: StaticString = "params"
  static let resume: StaticString = "resume"
  static let resumed: StaticString = "resumed"
  static let revision: StaticString = "rev"
  static let scope: StaticString = "scope"
  static let sessionID: StaticString = "sid"
  static let share: StaticString = "share"
  static let timeZone: StaticString = "timeZone"
  static let timeToLive: StaticString = "ttl"
  static let to: StaticString = "to"
  static let token: StaticString = "token"
  static let version: StaticString = "version"
  static let view: StaticString = "view"
  static let within: StaticString = "within"
}

/// The kinds of messages: the values of `t`.
enum MessageKind {
  static let ack: StaticString = "ack"
  static let act: StaticString = "act"
  static let auth: StaticString = "auth"
  static let back: StaticString = "back"
  static let bye: StaticString = "bye"
  static let check: StaticString = "check"
  static let clients: StaticString = "clients"
  static let drain: StaticString = "drain"
  static let hello: StaticString = "hello"
  static let nack: StaticString = "nack"
  static let notice: StaticString = "notice"
  static let patch: StaticString = "patch"
  static let ping: StaticString = "ping"
  static let pong: StaticString = "pong"
  static let resync: StaticString = "resync"
  static let share: StaticString = "share"
  static let snap: StaticString = "snap"
  static let welcome: StaticString = "welcome"
}

/// JSON that is not a message of this protocol.
package struct MessageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong, in one sentence for the peer's developer.
  package let description: String

  init(_ description: String) { self.description = description }

  static func missing(_ key: StaticString, _ what: String, in kind: StaticString) -> MessageError {
    MessageError("A message of kind \"\(kind)\" needs \"\(key)\", \(what).")
  }
}

extension JSONElement {
  /// The string; nil if it is longer than a name, or the value is something else.
  package var name: String? {
    guard let string, string.utf8.count <= longestName else { return nil }
    return string
  }

  /// The name that a message of this kind holds at `key`.
  func name(_ key: StaticString, in kind: StaticString) throws(MessageError) -> String {
    guard let name = self[key]?.name else { throw .missing(key, "a string of at most \(longestName) bytes", in: kind) }
    return name
  }

  /// The Stream-Safe string that a message of this kind holds at `key`.
  func text(_ key: StaticString, in kind: StaticString) throws(MessageError) -> String {
    guard let text = self[key]?.string else { throw .missing(key, "a string", in: kind) }
    guard text.isStreamSafe else { throw MessageError("\"\(key)\" has \(String.unsafeRun).") }
    return text
  }

  /// The number that a message of this kind holds at `key`, at least `least`.
  func number(_ key: StaticString, from least: Int = 0, in kind: StaticString) throws(MessageError) -> Int {
    if let number = self[key]?.messageNumber, number >= least { return number }
    throw .missing(key, "a whole number from \(least) to 2^53-1", in: kind)
  }

  /// The array that a message of this kind holds at `key`.
  func array(_ key: StaticString, in kind: StaticString) throws(MessageError) -> JSONElement {
    guard let array = self[key], array.kind == .array else { throw .missing(key, "an array", in: kind) }
    return array
  }
}

extension JSONElement {
  /// The value of the member `key`, as `subscript(_: String)` finds it.
  subscript(_ key: StaticString) -> JSONElement? {
    var found: JSONElement?
    forEachMember { name, value in
      if name.isString(key) { found = value }
    }
    return found
  }

  /// Whether this is a string of exactly these bytes.
  func isString(_ text: StaticString) -> Bool { text.withUTF8Buffer { isString($0) } }

  /// A whole number from 0 to 2^53−1; nil for anything else.
  package var messageNumber: Int? {
    guard let number = integer(Int.self), 0...largestNumber ~= number else { return nil }
    return number
  }
}

extension JSONWriter {
  /// Writes a key that needs no escaping.
  mutating func key(_ key: StaticString) { raw(quoted: key, then: UInt8(ascii: ":")) }

  /// Writes a string that needs no escaping.
  mutating func string(_ text: StaticString) { raw(quoted: text, then: nil) }
}
