import WireHTTP

/// What a reader made of a row of bytes.
struct Hearing<Event: Equatable>: Equatable {
  /// What it said, each with the number of bytes that it had consumed by then.
  private(set) var events: [Heard<Event>] = []
  /// Why it refused to go on, if it did.
  private(set) var refusal: String?

  /// Gives a reader some bytes, in pieces.
  ///
  /// - Parameters:
  ///   - pieces: the bytes.
  ///   - mostUnread: how many bytes a reader may leave unread while it waits for more.
  ///   - next: asks the reader; what it throws is the reader's refusal, unless it is a ``Violation``.
  /// - Throws: a ``Violation``.
  init(
    _ pieces: [ArraySlice<UInt8>], mostUnread: Int, _ next: (inout ReceiveBuffer) throws -> Event?
  ) throws {
    var buffer = ReceiveBuffer()
    var received = 0
    for piece in pieces {
      buffer.append(Array(piece).span)
      received += piece.count
      do {
        while let event = try next(&buffer) { events.append(Heard(event: event, consumed: received - buffer.count)) }
      } catch let violation as Violation {
        throw violation
      } catch {
        refusal = "\(error)"
        return
      }
      try require(buffer.count <= mostUnread, "\(buffer.count) bytes wait for more, the limits allow \(mostUnread)")
    }
  }
}

/// An event, and how many bytes it took.
struct Heard<Event: Equatable>: Equatable {
  let event: Event
  let consumed: Int
}

/// Ways to cut the same bytes.
enum Cut: CaseIterable {
  case whole, bytes, some, others

  /// The bytes in pieces; which pieces, only the bytes decide.
  func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    switch self {
    case .whole: return [bytes[...]]
    case .bytes: return bytes.indices.map { bytes[$0...$0] }
    case .some, .others:
      // FNV-1a, so that a small change of the input makes other pieces.
      var hash: UInt64 = self == .some ? 0xCBF2_9CE4_8422_2325 : 0x9AE1_6A3B_2F90_404F
      var pieces: [ArraySlice<UInt8>] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        for byte in rest.prefix(8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let count = min(rest.count, 1 + Int(hash >> 33) % (self == .some ? 9 : 90))
        pieces.append(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      return pieces
    }
  }
}
