import CurlTransport
import Wire
import WireHTTP

/// A client by hand, which sees each message as it comes and says what ``RibClient`` would not.
///
/// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
final class PlainClient: @unchecked Sendable {
  let socket: CurlWebSocket
  /// What the server has greeted it with; empty for a `bye`.
  private(set) var greeting = ""

  /// Connects and says something.
  init(_ url: String, saying hello: String, compression: PerMessageDeflate.Offer? = nil, threshold: Int = 256) throws {
    socket = try CurlWebSocket(url: url, compression: compression, threshold: threshold)
    try socket.send(hello)
  }

  /// Begins a session, and takes `welcome` and `snap`.
  convenience init(_ url: String, app: String = "logbook") throws {
    try self.init(url, saying: #"{"t":"hello","app":"\#(app)"}"#)
    try greet()
    _ = try next(#"{"t":"snap""#)
  }

  /// Comes back, and takes `welcome`.
  convenience init(
    _ url: String, resuming welcome: Welcome, token: String? = nil, attempt: Int, epoch: String? = nil,
    revision: Int = 0
  ) throws {
    try self.init(
      url,
      saying: #"{"t":"hello","resume":{"sid":"\#(welcome.sessionID)","cid":\#(welcome.clientID),"#
        + #""token":"\#(token ?? welcome.token)","try":\#(attempt),"epoch":"\#(epoch ?? welcome.epoch)","#
        + #""rev":\#(revision)}}"#)
    try greet()
  }

  /// What a client says that comes back.
  static func resume(_ welcome: Welcome, attempt: Int, epoch: String = "", revision: Int = 0) -> String {
    #"{"t":"hello","resume":{"sid":"\#(welcome.sessionID)","cid":\#(welcome.clientID),"token":"\#(welcome.token)","#
      + #""try":\#(attempt),"epoch":"\#(epoch)","rev":\#(revision)}}"#
  }

  /// Takes the `welcome`, or whatever comes instead.
  func greet() throws { greeting = try next() }

  /// Begins a session of the logbook, writes a line, and goes without a word.
  ///
  /// - Returns: what it was welcomed with.
  static func writeAndLeave(_ url: String) throws -> Welcome {
    let client = try PlainClient(url)
    try client.act(1, #"{"write":"a"}"#)
    try client.next(#"{"t":"patch""#)
    client.cut()
    return try client.welcome
  }

  /// Joins a session, and takes `welcome` and `snap`.
  convenience init(_ url: String, joining share: String) throws {
    try self.init(url, saying: #"{"t":"hello","share":"\#(share)"}"#)
    try greet()
    try next(#"{"t":"snap""#)
  }

  /// Asks for a token to join with.
  func share(_ scope: String) throws -> String {
    try send(#"{"t":"share","scope":"\#(scope)"}"#)
    let share = try JSONValue(parsing: try next(#"{"t":"share""#))["token"]
    guard case .string(let token)? = share else { throw Unexpected(text: share?.text ?? "") }
    return token
  }

  /// What it was welcomed with.
  var welcome: Welcome {
    get throws {
      var reader = JSONReader()
      guard case .welcome(let welcome) = try ServerMessage(reader.read(greeting).root) else {
        throw Unexpected(text: greeting)
      }
      return welcome
    }
  }

  /// The next message, which begins so.
  @discardableResult func next(_ start: String = "", timeout: Int = CurlSocket.defaultTimeout) throws -> String {
    guard let text = try socket.text(timeout: timeout) else { throw Unexpected(text: "closed instead of \(start)") }
    guard text.hasPrefix(start) else { throw Unexpected(text: text) }
    return text
  }

  /// Every message until one that begins so.
  ///
  /// - Throws: ``NeverTrue`` if there is none within a minute of messages.
  func all(until start: String) throws -> [String] {
    var texts: [String] = []
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      texts.append(try next())
      if texts[texts.count - 1].hasPrefix(start) { return texts }
    }
    throw NeverTrue(seconds: 60)
  }

  func send(_ text: String) throws { try socket.send(text) }

  /// Acts, without waiting.
  func act(_ number: Int, _ action: String, to: String = "1") throws {
    try send(Self.act(number, action, to: to))
  }

  static func act(_ number: Int, _ action: String, to: String = "1") -> String {
    #"{"t":"act","n":\#(number),"to":\#(to),"a":\#(action)}"#
  }

  /// What it is told last: the code of the `bye`, and that of the close frame.
  func end(timeout: Int = CurlSocket.defaultTimeout) throws -> String {
    var bye = "none"
    while true {
      switch try socket.receive(timeout: timeout) {
      case .message(let bytes):
        let text = String(decoding: bytes, as: UTF8.self)
        let start = #"{"t":"bye","code":""#
        if text.hasPrefix(start) { bye = String(text.dropFirst(start.count).prefix { $0 != "\"" }) }
      case .closed(let code, _): return "\(bye) \(code?.rawValue ?? 0)"
      }
    }
  }

  /// Goes without a word.
  func cut() { socket.socket.cut() }

  struct Unexpected: Error { let text: String }
}

extension Welcome {
  /// The code of each refusal.
  var nackNumbers: [Int] { nacks.map(\.number) }
}
