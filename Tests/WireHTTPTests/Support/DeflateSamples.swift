import RibTestSupport

@testable import WireHTTP

extension PerMessageDeflate.Direction {
  /// Each message by itself.
  static let anew = PerMessageDeflate.Direction(keepsContext: false)
  /// Each message after the ones before it.
  static let takenOver = PerMessageDeflate.Direction(keepsContext: true)
}

extension Deflater {
  /// A message's payload.
  func deflated(_ message: [UInt8]) -> [UInt8] {
    var payload: [UInt8] = []
    withDeflated(message.span) { payload = Array(copying: $0) }
    return payload
  }
}

extension Inflater {
  /// What a payload was deflated from.
  func inflated(_ payload: [UInt8], limit: Int = 1 << 20, isText: Bool = false) throws(WebSocketError) -> [UInt8] {
    try inflate(payload.span, limit: limit, isText: isText)
  }
}

/// Text of about so many bytes that looks like a view's.
func viewText(_ count: Int, seed: UInt64 = 7692) -> [UInt8] {
  var generator = SeededGenerator(state: seed)
  var text = ""
  while text.utf8.count < count {
    let number = Int.random(in: 0..<10_000, using: &generator)
    text += #"{"type":"Row","state":{"title":"Item \#(number) – é","count":\#(number % 77),"isNegative":false}},"#
  }
  return Array(text.utf8)
}

/// Bytes that cannot be compressed.
func noise(_ count: Int, seed: UInt64 = 7692) -> [UInt8] {
  var generator = SeededGenerator(state: seed)
  return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
}
