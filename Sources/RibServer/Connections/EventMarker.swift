/// Numbers server-sent events, of which any part may come at a time: each gets the field `event` with the number (HTML §9.2.6).
///
/// A comment is passed on as it is: it says nothing but that the server is there.
///
/// | state    | what comes             | what is written       | next state |
/// |----------|------------------------|-----------------------|------------|
/// | `between`| a colon                | the byte              | `comment`  |
/// | `between`| any other byte         | the field, the byte   | `event`    |
/// | `event`, `comment` | an empty line | the line             | `between`  |
/// | `event`, `comment` | any other byte | the byte             | the same   |
struct EventMarker {
  private enum State {
    case between
    case comment
    /// With the number of bytes of `bye` that it begins with; nil once it has begun with something else.
    case event(ofBye: Int?)
  }

  /// How an event begins whose message is a `bye`: the writer of messages puts `t` first.
  private static let bye = Array(#"data: {"t":"bye""#.utf8)

  private var state = State.between
  /// Whether the last byte has ended a line.
  private var isAtLineStart = false
  /// Whether an event has begun with a `bye`.
  private(set) var hasSaidBye = false

  /// Whether the last event is not whole yet.
  var isInside: Bool { if case .between = state { false } else { true } }

  /// Passes bytes on, up to the end of the event or the comment that they belong to.
  ///
  /// - Parameters:
  ///   - bytes: the next ones.
  ///   - number: the number of the events.
  ///   - output: where they are written to.
  /// - Returns: how many bytes were passed on.
  mutating func mark(_ bytes: Span<UInt8>, as number: Int, into output: inout [UInt8]) -> Int {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch state {
      case .between:
        isAtLineStart = false
        if byte == UInt8(ascii: ":") {
          state = .comment
        } else {
          output.append(contentsOf: "event: \(number)\n".utf8)
          state = .event(ofBye: 0)
          noteStart(byte)
        }
      case .comment: break
      case .event: noteStart(byte)
      }
      // Where nothing more is looked for in the line, all of it is passed on.
      var last = index
      if !looksForBye { while bytes[last] != UInt8(ascii: "\n"), last + 1 < bytes.count { last += 1 } }
      bytes.extracting(index..<last + 1).withUnsafeBufferPointer { output.append(contentsOf: $0) }
      let (endsLine, isEmpty) = (bytes[last] == UInt8(ascii: "\n"), isAtLineStart && last == index)
      index = last + 1
      if endsLine, isEmpty {
        state = .between
        break
      }
      isAtLineStart = endsLine
    }
    return index
  }

  private var looksForBye: Bool { if case .event(ofBye: .some) = state { true } else { false } }

  private mutating func noteStart(_ byte: UInt8) {
    guard case .event(let count?) = state else { return }
    guard byte == Self.bye[count] else { return state = .event(ofBye: nil) }
    hasSaidBye = hasSaidBye || count + 1 == Self.bye.count
    state = .event(ofBye: hasSaidBye ? nil : count + 1)
  }
}
