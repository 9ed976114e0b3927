import Testing

@testable import RibServer

@Suite struct EventMarkerTests {
  private static let events =
    "data: {\"t\":\"welcome\"}\n\n:\n\nid: e.1\ndata: {\"t\":\"snap\"}\n\ndata: {\"t\":\"bye\",\"code\":\"ended\"}\n\n"
  private static let marked =
    "event: 7\ndata: {\"t\":\"welcome\"}\n\n:\n\nevent: 7\nid: e.1\ndata: {\"t\":\"snap\"}\n\n"
    + "event: 7\ndata: {\"t\":\"bye\",\"code\":\"ended\"}\n\n"

  private static func mark(_ text: String, each size: Int) -> (text: String, marker: EventMarker) {
    var (marker, output) = (EventMarker(), [UInt8]())
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      var rest = bytes[start..<min(start + size, bytes.count)]
      while !rest.isEmpty { rest = rest.dropFirst(marker.mark(Array(rest).span, as: 7, into: &output)) }
    }
    return (String(decoding: output, as: UTF8.self), marker)
  }

  @Test func events_areNumbered_howeverTheyCome() {
    for size in 1...Self.events.utf8.count {
      let (text, marker) = Self.mark(Self.events, each: size)
      #expect(text == Self.marked && marker.hasSaidBye && !marker.isInside, "\(size)")
    }
  }

  @Test func mark_stopsBehindEachEvent() {
    var (marker, output) = (EventMarker(), [UInt8]())
    let bytes = Array("data: 1\n\ndata: 2\n\n".utf8)
    #expect(marker.mark(bytes.span, as: 0, into: &output) == 9)
    #expect(!marker.isInside && output == Array("event: 0\ndata: 1\n\n".utf8))
    #expect(marker.mark(bytes[9..<12].span, as: 0, into: &output) == 3)
    #expect(marker.isInside)
  }

  /// Only the kind of a message counts, not a text within it.
  @Test(arguments: [
    "data: {\"t\":\"nack\",\"x\":{\"t\":\"bye\"}}", "data: {\"t\":\"by\"}", "id: {\"t\":\"bye\"}", ": {\"t\":\"bye\"}",
  ])
  func otherEvents_areNoBye(_ event: String) {
    for size in 1...event.utf8.count { #expect(!Self.mark(event + "\n\n", each: size).marker.hasSaidBye) }
  }
}
