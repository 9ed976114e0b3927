import CurlTransport
import Foundation
import RibTestSupport
import Testing
import Wire
import WireHTTP

/// What a text costs a server that Swift's `String` compares, or steps back through, in quadratic time: in every text field
/// that the schema of the messages and the description of the twin have, and every header field that the sources name.
@Suite(.serialized) struct HostileTextTests {
  /// A text of so many bytes.
  enum Vector: String, CaseIterable {
    case ascii, marks, flags, escapedMarks

    /// - Returns: what stands in a JSON string, or in a header field.
    func text(_ bytes: Int) -> String {
      switch self {
      case .ascii: String(repeating: "a", count: bytes)
      // In falling combining class: the worst case of an insertion sort.
      case .marks: Self.scalars("\u{344}", bytes / 4) + Self.scalars("\u{334}", bytes / 4)
      case .flags: Self.scalars("\u{1F1E6}", bytes / 4)
      case .escapedMarks:
        String(repeating: #"\u0344"#, count: bytes / 12) + String(repeating: #"\u0334"#, count: bytes / 12)
      }
    }

    private static func scalars(_ scalar: Unicode.Scalar, _ count: Int) -> String {
      String(String.UnicodeScalarView(repeatElement(scalar, count: count)))
    }
  }

  /// A field, and what has a place for the text in it.
  struct Field {
    let name: String
    let message: String
    /// The header fields of a request; nil for a message of a WebSocket.
    var head: String?
  }

  private static let place = "PLACE"
  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized

  private static func file(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  // MARK: Fields

  /// The text fields of all messages that a client may send.
  private static func messageFields() throws -> [Field] {
    let schema = JSONSchemaTexts(try JSONValue(parsing: file("docs/riblet.v1.schema.json")))
    return schema.alternatives(of: "client").flatMap { kind, definition in
      schema.texts(of: definition).flatMap { path -> [Field] in
        guard var members = schema.example(of: definition, place, at: path)?.members else { return [] }
        if kind == "hello", members["app"] == nil, members["resume"] == nil, members["share"] == nil {
          members["app"] = .string("room")
        }
        let message = JSONValue.object(members).text
        let name = "\(kind).\(path.joined(separator: "."))"
        // What is any JSON may have the text anywhere.
        let others = #"{"PLACE":{}}|{"updateSearchText":{"_0":"PLACE"}}|{"open":"PLACE"}|{"name":"PLACE"}|["PLACE"]"#
        return [Field(name: name, message: message)]
          + (["a", "params"].contains(path.last) ? others.split(separator: "|") : []).map {
            Field(name: "\(name) \($0)", message: message.replacing("\"\(place)\"", with: $0))
          }
      }
    }
  }

  /// The text fields of all requests of the twin: in paths, queries, header fields and bodies.
  private static func twinFields() throws -> [Field] {
    let document = try JSONValue(parsing: file("Sources/RibServer/HTTP/openapi.json"))
    let schema = JSONSchemaTexts(document)
    var fields: [Field] = []
    for (path, item) in document["paths"]?.members ?? [:] {
      for (method, operation) in item.members ?? [:] where operation["parameters"] != nil || operation.members != nil {
        let shared = item["parameters"]?.elements ?? []
        let target = path.replacing("{app}", with: "counter")
        for parameter in shared + (operation["parameters"]?.elements ?? []) {
          guard let name = parameter["name"]?.string, let kind = parameter["in"]?.string else { continue }
          let line =
            switch kind {
            case "path": path.replacing("{\(name)}", with: "PERCENT")
            case "query": "\(target)?\(name)=PERCENT"
            default: target
            }
          fields.append(
            Field(
              name: "\(method) \(path) \(kind) \(name)", message: "",
              head: "\(method.uppercased()) \(line) HTTP/1.1\r\nHost: localhost\r\nRiblet-Token: TOKEN\r\n"
                + (kind == "header" ? "\(name): \(place)\r\n" : "")))
        }
        guard let body = operation["requestBody"]?["content"]?["application/json"]?["schema"] else { continue }
        for text in schema.texts(of: body) {
          guard var example = schema.example(of: body, place, at: text) else { continue }
          if path == "/v1/sessions", var members = example.members, members["app"] == nil, members["share"] == nil {
            members["app"] = .string("room")
            example = .object(members)
          }
          fields.append(
            Field(
              name: "\(method) \(path) body \(text.joined(separator: "."))", message: example.text,
              head: "\(method.uppercased()) \(target) HTTP/1.1\r\nHost: localhost\r\nRiblet-Token: TOKEN\r\n"
                + "Idempotency-Key: \"1\"\r\n"))
        }
      }
    }
    return fields.sorted { $0.name < $1.name }
  }

  /// Every header field whose name stands in the sources that read heads, in requests of three kinds.
  private static func headerFields() throws -> [Field] {
    var names: Set<String> = []
    let asked = #/"([A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)+)"|(?:headers\[|of: |for: |in: |only\()"([A-Za-z]+)"/#
    for folder in ["Sources/WireHTTP", "Sources/RibServer"] {
      let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      while let path = files?.nextObject() as? String {
        guard path.hasSuffix(".swift") else { continue }
        for match in try file("\(folder)/\(path)").matches(of: asked) {
          if let name = match.1 ?? match.2 { names.insert(String(name)) }
        }
      }
    }
    // What was there when this was written: were the pattern wrong, nothing would be tried.
    #expect(names.isSuperset(of: ["Origin", "Sec-Fetch-Site", "Content-Type", "Riblet-Token", "Idempotency-Key"]))
    #expect(names.isSuperset(of: ["Cookie", "Host", "Connection", "X-Forwarded-For", "Sec-WebSocket-Extensions"]))
    let requests = [
      ("POST /v1/sessions", "", #"{"app":"counter"}"#), ("GET /v1/sessions/SID/view", "Riblet-Token: TOKEN\r\n", ""),
      (
        "GET /v1/socket",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", ""
      ),
    ]
    return names.sorted().flatMap { name in
      requests.map { request, fields, body in
        // The one that is tried stands in place of the usual one.
        let others = ("Host: localhost\r\n" + fields).split(separator: "\r\n").filter { !$0.hasPrefix("\(name):") }
        return Field(
          name: "\(request) \(name)", message: body,
          head: "\(request) HTTP/1.1\r\n" + others.map { "\($0)\r\n" }.joined() + "\(name): \(place)\r\n")
      }
    }
  }

  // MARK: Trying

  /// A message or a head with a text in the place for it.
  ///
  /// The template is searched, and not the text, which would keep the test as busy as it is meant to keep the daemon.
  private static func filled(_ template: String, with text: String) -> String {
    template.split(separator: place, omittingEmptySubsequences: false).joined(separator: text)
  }

  /// Sends a message, and waits until it was handled.
  private static func say(_ field: Field, _ text: String, to daemon: Daemon) throws -> Int {
    let message = Self.filled(field.message, with: text)
    let client: PlainClient
    let start: Int
    if field.name.hasPrefix("hello") {
      start = daemon.processorTime
      client = try PlainClient(daemon.url, saying: message)
    } else {
      client = try PlainClient(daemon.url, app: "search")
      start = daemon.processorTime
      try client.send(message)
    }
    try? client.send(#"{"t":"ping"}"#)
    while let answer = try client.socket.text(), !answer.hasPrefix(#"{"t":"pong""#) {}
    return daemon.processorTime - start
  }

  /// Sends a request of a session that is new, and waits for the head of the answer.
  private static func ask(_ field: Field, _ head: String, _ text: String, of daemon: Daemon) throws -> Int {
    let session = try TwinClient(daemon.url)
    _ = try session.create(#"{"app":"search"}"#)
    let encoded = text.utf8.prefix(2400).map { String(format: "%%%02X", $0) }.joined()
    var head = head.replacing("PERCENT", with: encoded)
    head = head.replacing("TOKEN", with: session.token).replacing("SID", with: session.sessionID)
    head = Self.filled(head.replacing("{sid}", with: session.sessionID), with: text)
    let body = Self.filled(field.message, with: text)
    if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\n" }
    let start = daemon.processorTime
    let socket = try CurlSocket(url: daemon.url)
    try socket.send(Array("\(head)\r\n\(body)".utf8))
    var buffer = ReceiveBuffer()
    while try socket.receive(into: &buffer), !buffer.text.utf8.contains("\r\n\r\n".utf8) {}
    return daemon.processorTime - start
  }

  /// Tries all fields, each with all texts.
  ///
  /// - Parameters:
  ///   - fields: which.
  ///   - bytes: how many a text has.
  /// - Throws: what a test throws that cannot go on.
  private static func judge(_ fields: [Field], _ bytes: Int) async throws {
    let secret = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data((0..<64).map { UInt8($0) }).base64EncodedData().write(to: secret)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
    defer { try? FileManager.default.removeItem(at: secret) }
    let daemon = try Daemon([
      "--auth-mode", "jwt", "--auth-required", "false", "--auth-issuer", "https://issuer.example", "--auth-audience",
      "rib", "--auth-secret-file", secret.path, "--auth-algorithms", "HS256", "--limits-sessions", "100000",
      "--limits-actions-per-second", "0", "--limits-failed-sign-ins-per-minute", "0",
    ])
    // Hundredths of a second of processor time; the test's own load concerns them little.
    let floor = TestRun.judgesTime ? 2 : 10
    try await blocking {
      var worst = (0, "")
      for field in fields {
        var usual = 0
        for vector in Vector.allCases where field.head == nil || vector != .escapedMarks {
          do {
            var time = Int.max
            // Twice, as other work of the daemon may come in between.
            for _ in 0..<2 where time > floor {
              let text = vector.text(bytes)
              let taken =
                if let head = field.head { try ask(field, head, text, of: daemon) } else {
                  try say(field, text, to: daemon)
                }
              time = min(time, taken)
            }
            if vector == .ascii { usual = time }
            if time > worst.0 { worst = (time, "\(field.name) \(vector)") }
            #expect(time <= max(10 * usual, floor), "\(field.name) with \(vector): \(time) and not \(usual) of 1/100 s")
          } catch {
            try #require(kill(daemon.pid, 0) == 0, "\(field.name) with \(vector) ends the daemon")
            Issue.record("\(field.name) with \(vector): \(error)")
          }
        }
      }
      print("\(fields.count) fields; the slowest: \(worst.0)/100 s for \(worst.1)")
    }
    #expect(daemon.stop() == 0)
  }

  @Test func message_costsNoMoreThanOneOfASCII() async throws {
    let fields = try Self.messageFields()
    let names = Set(fields.map(\.name))
    #expect(names.isSuperset(of: ["hello.app", "hello.features.[]", "hello.resume.sid", "act.to", "act.a", "back.to"]))
    #expect(names.isSuperset(of: ["hello.client.locale", "hello.share", "hello.auth", "authRequest.token", "ping.t"]))
    try await Self.judge(fields, 60_000)
  }

  @Test func request_costsNoMoreThanOneOfASCII() async throws {
    let fields = try Self.twinFields()
    #expect(fields.contains { $0.name == "post /v1/sessions body app" })
    #expect(fields.contains { $0.name == "get /v1/apps/{app}/schema path app" })
    #expect(fields.contains { $0.name == "post /v1/sessions/{sid}/actions header Idempotency-Key" })
    try await Self.judge(fields, 30_000)
  }

  @Test func headerField_costsNoMoreThanOneOfASCII() async throws {
    try await Self.judge(try Self.headerFields(), 30_000)
  }
}

/// The places of a JSON Schema at which a text may stand, and examples with one.
private struct JSONSchemaTexts {
  private let document: JSONValue

  init(_ document: JSONValue) { self.document = document }

  /// The alternatives of a definition, by their names.
  func alternatives(of name: String) -> [(String, JSONValue)] {
    (document["$defs"]?[name]?["oneOf"]?.elements ?? []).compactMap { reference in
      guard let name = reference["$ref"]?.string?.split(separator: "/").last else { return nil }
      return (String(name), reference)
    }
  }

  private func resolved(_ schema: JSONValue) -> JSONValue {
    guard let reference = schema["$ref"]?.string else {
      guard let first = (schema["oneOf"] ?? schema["anyOf"])?.elements?.first, schema["properties"] == nil else {
        return schema
      }
      return resolved(first)
    }
    let found = reference.split(separator: "/").dropFirst().reduce(document as JSONValue?) { $0?[String($1)] }
    return found.map { resolved($0) } ?? schema
  }

  /// All that may be a text, in an alternative of the schema.
  private func alternatives(_ schema: JSONValue) -> [JSONValue] {
    if let reference = schema["$ref"]?.string {
      let found = reference.split(separator: "/").dropFirst().reduce(document as JSONValue?) { $0?[String($1)] }
      return found.map { alternatives($0) } ?? []
    }
    guard schema["properties"] == nil, let all = (schema["oneOf"] ?? schema["anyOf"])?.elements else { return [schema] }
    return all.flatMap(alternatives)
  }

  /// The properties of an object, with those that only some of its forms have.
  private func properties(_ schema: JSONValue) -> [(key: String, value: JSONValue)] {
    var all = schema["properties"]?.members ?? [:]
    for form in schema["oneOf"]?.elements ?? [] {
      for (name, property) in form["properties"]?.members ?? [:] { all[name] = property }
    }
    return all.sorted { $0.key < $1.key }
  }

  /// The ways to all texts: names of members, and `[]` for an element.
  func texts(of schema: JSONValue) -> [[String]] {
    var found: [[String]] = []
    for schema in alternatives(schema) {
      if schema["properties"] != nil {
        for (name, property) in properties(schema) { found += texts(of: property).map { [name] + $0 } }
      } else if let items = schema["items"] {
        found += texts(of: items).map { ["[]"] + $0 }
      } else {
        let isText = schema["type"]?.string.map { $0 == "string" } ?? true
        if isText, !found.contains([]) { found.append([]) }
      }
    }
    return found
  }

  /// An example of a schema, with a text at one place.
  ///
  /// - Parameters:
  ///   - schema: of what.
  ///   - text: the text.
  ///   - path: where it is to be; nil for nowhere.
  /// - Returns: the example.
  func example(of schema: JSONValue, _ text: String, at path: [String]?) -> JSONValue? {
    if path == [] { return .string(text) }
    let isArray = path?.first == "[]"
    let schema = alternatives(schema).first { isArray == ($0["items"] != nil) } ?? resolved(schema)
    if schema["properties"] != nil {
      var members: JSONObject = [:]
      for (name, property) in properties(schema) {
        let isOnTheWay = path?.first == name
        guard isOnTheWay || schema["required"]?.elements?.contains(.string(name)) == true || name == "a" else {
          continue
        }
        members[name] = example(of: property, text, at: isOnTheWay ? Array(path?.dropFirst() ?? []) : nil)
      }
      return .object(members)
    }
    if let items = schema["items"] {
      return .array((isArray ? example(of: items, text, at: Array(path?.dropFirst() ?? [])) : nil).map { [$0] } ?? [])
    }
    return schema["const"] ?? schema["enum"]?.elements?.first
      ?? (schema["type"] == .string("integer") ? .integer(1) : .string("load"))
  }
}

extension JSONValue {
  fileprivate var members: JSONObject? { if case .object(let members) = self { members } else { nil } }
  fileprivate var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
