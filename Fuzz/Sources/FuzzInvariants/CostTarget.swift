import Wire
import WireHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// What a peer sends takes a time that is linear in its length, whatever it consists of: in the parsers, and in the code of an
// app that is handed its texts.

extension FuzzTarget {
  /// Where the text stands; the first byte of an input chooses.
  ///
  /// It is in one place each, as a reader stops at the first fault.
  private static let places = [
    "PLACE", hello(#""app":"PLACE""#), hello(#""app":"a","features":["PLACE"]"#),
    hello(#""app":"a","client":{"name":"PLACE"}"#), hello(#""app":"a","auth":"PLACE""#),
    hello(#""app":"a","params":{"PLACE":1}"#), resume("PLACE", "t", "e"), resume("s", "PLACE", "e"),
    resume("s", "t", "PLACE"), act(#""PLACE""#, "1"), act("1", #"{"label":{"text":"PLACE"}}"#), act("1", #""PLACE""#),
    act("1", #"{"PLACE":{}}"#), act("1", #"{"counts":{"PLACE":1}}"#), act("1", #"{"words":["PLACE"]}"#),
    act("1", "PLACE"), #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"add","path":"/PLACE","value":1}]}"#,
    #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"add","path":"/a","value":"PLACE"}]}"#,
    #"{"t":"nack","n":1,"code":"PLACE","message":"m"}"#, #"{"t":"nack","n":1,"code":"failed","message":"PLACE"}"#,
    "GET /PLACE HTTP/1.1\r\nHost: a\r\n\r\n", head("Origin: PLACE"), head("Sec-Fetch-Site: PLACE"),
    head("X-Forwarded-For: PLACE"), head("Forwarded: for=PLACE"), upgrade("PLACE", "a", "b"),
    upgrade(key, "PLACE", "b"), upgrade(key, "a", "PLACE"),
  ]

  private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

  private static func hello(_ members: String) -> String { #"{"t":"hello",\#(members)}"# }

  private static func resume(_ session: String, _ token: String, _ epoch: String) -> String {
    hello(#""resume":{"sid":"\#(session)","cid":1,"token":"\#(token)","try":1,"epoch":"\#(epoch)","rev":1}"#)
  }

  private static func act(_ to: String, _ action: String) -> String { #"{"t":"act","n":1,"to":\#(to),"a":\#(action)}"# }

  private static func head(_ fields: String) -> String { "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" }

  private static func upgrade(_ key: String, _ extensions: String, _ protocols: String) -> String {
    head(
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
        + "Sec-WebSocket-Extensions: \(extensions)\r\nSec-WebSocket-Protocol: \(protocols)")
  }

  /// A text of 64 KiB in a place: the parts of an input, with `|` between them, each again and again; a part that begins with `=` stands there
  /// once.
  ///
  /// Counted is the processor time of the thread, for 64 KiB and for a quarter: what is linear takes four times as long,
  /// what is quadratic sixteen times. And it takes no more than twenty times what ASCII takes in the same place: Swift compares texts by
  /// their canonical form, which takes up to fifteen times as long for U+0344. A ratio does not depend on the machine, nor on how the program was
  /// built; instructions are counted by few machines that tests run on.
  static let costs = FuzzTarget(name: "costs") { bytes in
    guard let first = bytes.first else { return }
    let place = Array(places[Int(first) % places.count].utf8)
    let parts = bytes.dropFirst().split(separator: UInt8(ascii: "|")).map(Array.init)
    guard !parts.isEmpty else { return }
    let (short, long) = (filled(place, with: parts, 1 << 14), filled(place, with: parts, 1 << 16))
    // A pause of the machine may fall into one of them, not into each.
    var (quarter, whole, plain) = (UInt64.max, UInt64.max, UInt64.max)
    for _ in 0..<3 {
      whole = min(whole, time { read(long) })
      if whole < leastTime { return }
      quarter = min(quarter, time { read(short) })
      plain = min(plain, time { read(filled(place, with: [[UInt8(ascii: "a")]], 1 << 16)) })
      if whole < quarter * 8, whole < max(plain * 20, 4 * leastTime) { return }
    }
    let text = String(decoding: bytes.prefix(80), as: UTF8.self)
    throw Violation(
      description: "64 KiB take \(whole) ns, 16 KiB \(quarter) ns, ASCII \(plain) ns: \(text.debugDescription)")
  }

  /// What takes no longer is not worth a look, in nanoseconds.
  private static let leastTime: UInt64 = 20_000_000

  private static func filled(_ place: [UInt8], with parts: [[UInt8]], _ size: Int) -> [UInt8] {
    let text = parts.flatMap { part -> [UInt8] in
      if part.first == UInt8(ascii: "=") { return Array(part.dropFirst()) }
      return Array(repeatElement(part, count: max(size / parts.count / max(part.count, 1), 1)).joined())
    }
    var rest = place[...]
    var result: [UInt8] = []
    let name = Array("PLACE".utf8)
    while !rest.isEmpty {
      if rest.starts(with: name) {
        result += text
        rest = rest.dropFirst(name.count)
      } else if let byte = rest.popFirst() {
        result.append(byte)
      }
    }
    return result
  }

  private static func time(_ body: () -> Void) -> UInt64 {
    var (start, end) = (timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
    body()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
    return UInt64(max((end.tv_sec - start.tv_sec) * 1_000_000_000 + (end.tv_nsec - start.tv_nsec), 0))
  }

  /// Reads a text as all that it may be.
  private static func read(_ bytes: [UInt8]) {
    readHead(bytes)
    var reader = JSONReader(limits: JSONLimits(depth: .max, bytes: 1 << 20))
    guard let json = try? reader.read(bytes.span).root else { return }
    if let message = try? ClientMessage(json) { handle(message) }
    if case .patch(_, _, _, let operations, _)? = try? ServerMessage(json) {
      var view = JSONValue.object([:])
      try? view.apply(operations)
      _ = view.text
    }
    if let texts = try? ActionDecoder.decodeValue([String].self, from: json) { texts.forEach(use) }
    if let texts = try? ActionDecoder.decodeValue([String: JSONValue].self, from: json) { texts.keys.forEach(use) }
    if !json.isTooDeep { _ = JSONValue(json).text }
  }

  private static func handle(_ message: ClientMessage) {
    switch message {
    case .hello(let hello):
      for text in [hello.app, hello.client.name, hello.auth, hello.resume?.sessionID, hello.resume?.epoch] {
        if let text { use(text) }
      }
    case .act(let act):
      if case .path(let path) = act.to { use(path) }
      do {
        switch try ActionDecoder.decode(Action.self, from: act.action) {
        case .label(let text?), .maybe(let text?): use(text)
        case .words(let words): words.forEach(use)
        case .counts(let counts): counts.keys.forEach(use)
        default: break
        }
      } catch {
        _ = ActionDecoder.unknownCase(of: Action.self, in: act.action)
      }
    default: break
    }
  }

  /// What an app does with a text, as one that knows nothing of this: with characters, from both ends, and as a key.
  private static func use(_ text: String) {
    let others: Set<String> = [text, text + "a", "a" + text]
    _ = others.sorted()
    _ = text.reversed().first { $0 == "\n" }
    _ = text.hasSuffix("a" + text.dropFirst()) || text.hasPrefix(text.dropLast())
    _ = text.lowercased().split(separator: " ")
  }

  private static func readHead(_ bytes: [UInt8]) {
    var buffer = ReceiveBuffer()
    buffer.append(bytes.span)
    var requests = RequestReader(limits: HTTPLimits(requestLineBytes: 1 << 18, headerBytes: 1 << 18, bodyBytes: 0))
    guard let head = try? requests.nextHead(from: &buffer) else { return }
    _ = try? WebSocketHandshake.answer(head, subprotocols: ["riblet.v1.json"])
    for field in head.headers.fields { use(field.value) }
    if let origin = head.headers["Origin"] { _ = WebOrigin(origin) }
    for kind in ForwardedField.allCases { _ = kind.client(in: head.headers, from: nil) { _ in true } }
    use(head.path)
  }
}
