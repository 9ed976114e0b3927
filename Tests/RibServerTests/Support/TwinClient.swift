import CurlTransport
import Foundation
import Wire
import WireHTTP

/// A client of the HTTP twin, on one connection.
///
/// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
final class TwinClient: @unchecked Sendable {
  /// An answer: its head as text, and its body.
  struct Answer {
    let status: Int
    let headers: HeaderFields
    let body: String

    /// The body as JSON.
    var json: JSONValue { get throws { try JSONValue(parsing: body) } }
  }

  /// The server has closed the connection instead of answering.
  struct Closed: Error {}

  private let socket: CurlSocket
  /// How long it waits for an answer, in milliseconds.
  private let timeout: Int
  private var buffer = ReceiveBuffer()
  private var responses = ResponseReader()
  /// The session and the token, once there are some.
  private(set) var sessionID = ""
  private(set) var token = ""
  private let credential: (() -> String)?

  /// A client of a session that was made otherwise, or of none.
  ///
  /// - Parameters:
  ///   - url: the server's.
  ///   - sessionID: the session's name.
  ///   - token: what opens it.
  ///   - timeout: how long it waits for an answer, in milliseconds.
  ///   - credential: makes what each request shows of a person; nil for nothing, but what a request says itself.
  /// - Throws: what the system says if it cannot connect.
  init(
    _ url: String, sessionID: String = "", token: String = "", timeout: Int = CurlSocket.defaultTimeout,
    credential: (() -> String)? = nil
  ) throws {
    self.credential = credential
    socket = try CurlSocket(url: url, timeout: timeout)
    // A daemon that is started meanwhile shall not hold it open.
    _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC)
    (self.sessionID, self.token, self.timeout) = (sessionID, token, timeout)
  }

  /// A client that goes on with what another has made.
  convenience init(_ url: String, like other: TwinClient) throws {
    try self.init(url, sessionID: other.sessionID, token: other.token)
  }

  /// Sends bytes that are no request.
  func send(_ bytes: [UInt8]) throws { try socket.send(bytes, timeout: timeout) }

  /// Goes without a word.
  func cut() { socket.cut() }

  /// Sends a request, and waits for its answer.
  func ask(_ method: String, _ path: String, _ body: String = "", headers: [String] = []) throws -> Answer {
    try send(method, path, body, headers: headers)
    return try answer()
  }

  /// Waits for the answer to a request.
  func answer() throws -> Answer {
    let head = try self.head()
    var text = ""
    if let count = head.contentLength {
      while buffer.count < count {
        guard try socket.receive(into: &buffer, timeout: timeout) else { throw Closed() }
      }
      text = String(buffer.text.utf8.prefix(count)) ?? ""
      buffer.consume(count)
    }
    return Answer(status: head.status.rawValue, headers: head.headers, body: text)
  }

  private func send(_ method: String, _ path: String, _ body: String, headers: [String]) throws {
    let person = credential.map { ["Authorization: Bearer \($0())"] } ?? []
    let fields = (["Host: localhost", "Content-Length: \(body.utf8.count)"] + person + headers).joined(
      separator: "\r\n")
    try socket.send(Array("\(method) \(path) HTTP/1.1\r\n\(fields)\r\n\r\n\(body)".utf8))
  }

  private func head() throws -> ResponseHead {
    while true {
      if let head = try responses.nextHead(from: &buffer) { return head }
      guard try socket.receive(into: &buffer, timeout: timeout) else { throw Closed() }
    }
  }

  /// Makes a session.
  func create(_ hello: String = #"{"app":"counter"}"#) throws -> Answer {
    let answer = try ask("POST", "/v1/sessions", hello)
    if answer.status == 201 {
      sessionID = try answer.json["sid"]?.string ?? ""
      token = try answer.json["token"]?.string ?? ""
    }
    return answer
  }

  private var authorization: String { "Riblet-Token: \(token)" }

  /// A request about its session.
  func ask(_ method: String, of part: String, _ body: String = "", as credential: String?) throws -> Answer {
    try ask(
      method, "/v1/sessions/\(sessionID)\(part)", body,
      headers: [authorization] + (credential.map { ["Authorization: Bearer \($0)"] } ?? []))
  }

  /// Acts; `key` is the number of the first action.
  func act(_ key: String, _ body: String, as credential: String? = nil) throws -> Answer {
    try ask(
      "POST", "/v1/sessions/\(sessionID)/actions", body,
      headers: [authorization, "Idempotency-Key: \(key)"] + (credential.map { ["Authorization: Bearer \($0)"] } ?? []))
  }

  func view(_ headers: String...) throws -> Answer {
    try ask("GET", "/v1/sessions/\(sessionID)/view", headers: [authorization] + headers)
  }

  func end() throws -> Answer { try ask("DELETE", "/v1/sessions/\(sessionID)", headers: [authorization]) }

  /// Asks for the stream of events.
  func open(
    after last: String? = nil, attempt: String? = nil, as credential: String? = nil, headers: [String] = []
  ) throws -> ResponseHead {
    try send(
      "GET", "/v1/sessions/\(sessionID)/events", "",
      headers: [authorization] + headers + (last.map { ["Last-Event-ID: \($0)"] } ?? [])
        + (attempt.map { ["Riblet-Try: \($0)"] } ?? [])
        + (credential.map { ["Authorization: Bearer \($0)"] } ?? []))
    return try head()
  }

  /// Asks for the events of several clients.
  ///
  /// - Parameters:
  ///   - body: of the request.
  ///   - credential: of the person; nil for nobody.
  /// - Returns: the head of the answer.
  /// - Throws: what the socket says.
  func join(_ body: String, as credential: String? = nil) throws -> ResponseHead {
    try send("POST", "/v1/events", body, headers: credential.map { ["Authorization: Bearer \($0)"] } ?? [])
    return try head()
  }

  /// The stream's next event that is not a comment: its id, its number among joined ones, and its data; nil at the end.
  func event() throws -> (id: String?, number: Int?, data: String)? {
    while true {
      if let end = buffer.text.range(of: "\n\n") {
        let lines = buffer.text[..<end.lowerBound].split(separator: "\n")
        buffer.consume(buffer.text[..<end.upperBound].utf8.count)
        let data = lines.first { $0.hasPrefix("data: ") }
        guard let data else { continue }
        func field(_ name: String) -> Substring? {
          lines.first { $0.hasPrefix("\(name): ") }?.dropFirst(name.utf8.count + 2)
        }
        return (field("id").map(String.init), field("event").flatMap { Int($0) }, String(data.dropFirst(6)))
      }
      guard try socket.receive(into: &buffer, timeout: timeout) else { return nil }
    }
  }
}

extension TwinClient.Answer {
  /// Whether it is a problem document (RFC 9457) with this status.
  func isProblem(_ status: Int) -> Bool {
    self.status == status && headers["Content-Type"] == "application/problem+json"
      && body.contains(#""status":\#(status)"#)
  }
}

extension JSONValue {
  /// What a string holds; nil for anything else.
  var string: String? { if case .string(let text) = self { text } else { nil } }
}
