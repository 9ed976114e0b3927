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
  private static let places = [
    "PLACE", #"{"t":"hello","app":"PLACE","features":["PLACE"],"client":{"name":"PLACE"},"auth":"PLACE"}"#,
    #"{"t":"hello","resume":{"sid":"PLACE","cid":1,"token":"PLACE","try":1,"epoch":"PLACE","rev":1}}"#,
    #"{"t":"act","n":1,"to":"PLACE","a":{"label":{"text":"PLACE"}}}"#, #"{"t":"act","n":1,"to":1,"a":"PLACE"}"#,
    #"{"t":"act","n":1,"to":1,"a":{"PLACE":{}}}"#, #"{"t":"act","n":1,"to":1,"a":{"counts":{"PLACE":1}}}"#,
    #"{"t":"act","n":1,"to":1,"a":{"words":["PLACE"]}}"#, #"{"t":"act","n":1,"to":1,"a":PLACE}"#,
    #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"add","path":"/PLACE","value":"PLACE"}]}"#,
    #"{"t":"nack","n":1,"code":"PLACE","message":"PLACE"}"#,
    "GET /PLACE HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nOrigin: PLACE\r\nSec-Fetch-Site: PLACE\r\nX-Forwarded-For: PLACE\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: PLACE\r\n"
      + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: PLACE\r\nSec-WebSocket-Protocol: PLACE\r\n\r\n",
  ]

  /// A text of 64 KiB in each place: the parts of an input, with `|` between them, each again and again.
  ///
  /// Counted is the processor time of the thread, for 64 KiB and for a quarter: what is linear takes four times as long,
  /// what is quadratic sixteen times. A ratio does not depend on the machine, nor on how the program was built; instructions
  /// are counted by few machines that tests run on.
  static let costs = FuzzTarget(name: "costs") { bytes in
    guard let first = bytes.first else { return }
    let place = Array(places[Int(first) % places.count].utf8)
    let parts = bytes.dropFirst().split(separator: UInt8(ascii: "|")).map(Array.init)
    guard !parts.isEmpty else { return }
    let (short, long) = (filled(place, with: parts, 1 << 14), filled(place, with: parts, 1 << 16))
    // A pause of the machine may fall into one of them, not into each.
    var (quarter, whole) = (UInt64.max, UInt64.max)
    for _ in 0..<3 {
      quarter = min(quarter, time { read(short) })
      whole = min(whole, time { read(long) })
      if whole < leastTime || whole < quarter * 8 { return }
    }
    let text = String(decoding: bytes.prefix(80), as: UTF8.self)
    throw Violation(description: "64 KiB take \(whole) ns, 16 KiB \(quarter) ns: \(text.debugDescription)")
  }

  /// What takes no longer is not worth a look, in nanoseconds.
  private static let leastTime: UInt64 = 50_000_000

  private static func filled(_ place: [UInt8], with parts: [[UInt8]], _ size: Int) -> [UInt8] {
    let text = parts.flatMap { part in
      Array(repeatElement(part, count: max(size / parts.count / max(part.count, 1), 1)).joined())
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
    var reader = JSONReader(limits: JSONLimits(bytes: 1 << 20))
    guard let json = try? reader.read(bytes.span).root else { return }
    if let message = try? ClientMessage(json) { handle(message) }
    if case .patch(_, _, _, let operations, _)? = try? ServerMessage(json) {
      var view = JSONValue.object([:])
      try? view.apply(operations)
      _ = view.text
    }
    if let texts = try? ActionDecoder.decodeValue([String].self, from: json) { texts.forEach(use) }
    if let texts = try? ActionDecoder.decodeValue([String: JSONValue].self, from: json) { texts.keys.forEach(use) }
    _ = JSONValue(json).text
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
