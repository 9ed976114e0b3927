import Testing

@testable import WireHTTP

/// What ``RequestReader`` and ``ResponseReader`` have in common.
protocol HeadReader: Sendable {
  associatedtype Head: Equatable & Sendable
  init(limits: HTTPLimits)
  mutating func nextHead(from buffer: inout ReceiveBuffer) throws(HTTPError) -> Head?
  /// A head unlike those of the tables, to come after them.
  static var another: String { get }
}

extension RequestReader: HeadReader {
  init(limits: HTTPLimits) { self.init(limits: limits, keepsBody: { _ in true }) }

  static var another: String { "GET /another HTTP/1.1\r\nHost: another.example\r\n\r\n" }
}

extension ResponseReader: HeadReader {
  static var another: String { "HTTP/1.1 299 Another\r\nA: b\r\n\r\n" }
}

/// A message as a table writes it: each character is the byte of its number, so "\u{FF}" is one byte.
func wireBytes(_ text: String) -> [UInt8] {
  text.unicodeScalars.map { UInt8($0.value) }
}

extension ReceiveBuffer {
  /// Adds `bytes` at the end, whatever holds them.
  mutating func receive(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    append(bytes.span)
  }

  /// The unread bytes.
  var unreadBytes: [UInt8] { withUnread { $0.withUnsafeBufferPointer(Array.init) } }
}

extension HeadReader {
  /// How far the first `bytes` bring a reader, given at once or one by one.
  static func outcome(of bytes: [UInt8], oneByOne: Bool, limits: HTTPLimits = .init()) -> Outcome<Head> {
    var reader = Self(limits: limits)
    var buffer = ReceiveBuffer()
    var received = 0
    do throws(HTTPError) {
      for piece in oneByOne ? bytes.map({ [$0] }) : [bytes] {
        buffer.receive(piece)
        received += piece.count
        if let head = try reader.nextHead(from: &buffer) {
          return .head(head, size: received - buffer.count)
        }
        let gone = bytes.prefix(received - buffer.count)
        #expect(gone.isEmpty || gone == wireBytes("\r\n")[...], "bytes of a head that is not whole are gone")
      }
    } catch {
      #expect(throws: error, "a refused reader reads on") { try reader.nextHead(from: &buffer) }
      return .refusal(error)
    }
    return .needsMore
  }

  /// The head that `input` is: whole, byte by byte, and with another head and further bytes after it.
  ///
  /// - Throws: if it is none at all; if it is one not in every way, an issue is recorded.
  static func accept(
    _ input: [UInt8], limits: HTTPLimits = .init(), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Head {
    let whole = outcome(of: input, oneByOne: false, limits: limits)
    guard case .head(let head, size: input.count) = whole else {
      throw NotAccepted(outcome: "\(whole)")
    }
    // The size says that it was nil up to the last byte.
    #expect(outcome(of: input, oneByOne: true, limits: limits) == whole, sourceLocation: sourceLocation)

    let next = wireBytes(another)
    let tail = wireBytes("\u{0}\r\n\r\nleft alone")
    var reader = Self(limits: limits)
    var buffer = ReceiveBuffer()
    buffer.receive(input + next + tail)
    #expect(try reader.nextHead(from: &buffer) == head, sourceLocation: sourceLocation)
    #expect(buffer.unreadBytes == next + tail, sourceLocation: sourceLocation)
    // With limits made for `input`, the other head may be beyond them.
    guard limits == HTTPLimits() else { return head }
    let second = try reader.nextHead(from: &buffer)
    let alone = outcome(of: next, oneByOne: false)
    #expect(second.map { .head($0, size: next.count) } == alone, sourceLocation: sourceLocation)
    #expect(buffer.unreadBytes == tail, sourceLocation: sourceLocation)
    return head
  }

  /// The refusal of `input`: the same whole, byte by byte and with bytes after it.
  ///
  /// - Throws: if it is not refused.
  static func refuse(
    _ input: [UInt8], limits: HTTPLimits = .init(), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPError {
    let whole = outcome(of: input, oneByOne: false, limits: limits)
    guard case .refusal(let error) = whole else { throw NotRefused(outcome: "\(whole)") }
    #expect(outcome(of: input, oneByOne: true, limits: limits) == whole, sourceLocation: sourceLocation)
    let followed = input + wireBytes("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(outcome(of: followed, oneByOne: false, limits: limits) == whole, sourceLocation: sourceLocation)
    return error
  }
}

/// Where feeding a reader ended.
enum Outcome<Head: Equatable & Sendable>: Equatable {
  /// It took `size` bytes for a head.
  case head(Head, size: Int)
  /// It refused what it got.
  case refusal(HTTPError)
  /// It still wants more.
  case needsMore
}

struct NotAccepted: Error { let outcome: String }
struct NotRefused: Error { let outcome: String }

/// A row of a table of refusals.
struct Refusal: CustomTestStringConvertible, Sendable {
  let status: HTTPStatus
  let text: String

  init(_ status: HTTPStatus, _ text: String) {
    self.status = status
    self.text = text
  }

  var testDescription: String { "\(status.rawValue) for \(text.debugDescription)" }
}
