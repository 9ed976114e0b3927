import Testing

@testable import WireHTTP

@Suite("W3C Trace Context §3.2 traceparent")
struct TraceParentTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let parent = "00f067aa0ba902b7"

  @Test("what the W3C has it be", arguments: [("00", true), ("01", true), ("fe", false), ("ff", true), ("02", false)])
  func parent_isRead(flags: String, isSampled: Bool) throws {
    // Of the flags only the last bit says something.
    let isSampled = flags == "00" ? false : isSampled
    let read = try #require(TraceParent("00-\(Self.trace)-\(Self.parent)-\(flags)"))
    #expect(read.traceID == Self.trace && read.parentID == Self.parent && read.isSampled == isSampled)
  }

  /// A later version may have more behind the flags, and nowhere else.
  @Test(arguments: [
    ("cc-\(trace)-\(parent)-01", true), ("cc-\(trace)-\(parent)-01-what-else", true),
    ("cc-\(trace)-\(parent)-01-", true),
    ("cc-\(trace)-\(parent)-01x", false), ("00-\(trace)-\(parent)-01-", false),
    ("00-\(trace)-\(parent)-01-more", false),
    ("ff-\(trace)-\(parent)-01", false),
  ])
  func laterVersion_isReadAsFarAsItIsKnown(value: String, isRead: Bool) {
    #expect((TraceParent(value) != nil) == isRead)
  }

  @Test(
    "what is wrong is nothing",
    arguments: [
      "", "00", "00-", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-", "00-\(trace)-\(parent)-0",
      "00-\(trace)-\(parent)-1g", "00_\(trace)-\(parent)-01", "00-\(trace)_\(parent)-01", "00-\(trace)-\(parent)_01",
      "0-\(trace)-\(parent)-010", "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01",
      "0A-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-0A", "00-\(String(repeating: "0", count: 32))-\(parent)-01",
      "00-\(trace)-\(String(repeating: "0", count: 16))-01", " 00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01 ",
      "00-\(trace.dropLast())é-\(parent)-01", "00-\(trace)-\(parent)-01, 00-\(trace)-\(parent)-01",
    ])
  func wrongValue_isNone(value: String) { #expect(TraceParent(value) == nil) }

  /// Every byte of a value counts: no other one may stand in its place but a digit for a digit.
  @Test func everyPlace_isChecked() {
    let value = Array("00-\(Self.trace)-\(Self.parent)-01".utf8)
    for place in value.indices {
      for byte in [
        UInt8(ascii: "G"), UInt8(ascii: "g"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "A"), 0, 0x80,
      ] {
        var other = value
        other[place] = byte
        #expect(TraceParent(String(decoding: other, as: UTF8.self)) == nil, "\(byte) at \(place)")
      }
    }
  }

  @Test func field_isOne() {
    let value = "00-\(Self.trace)-\(Self.parent)-01"
    #expect(TraceParent(of: ["TraceParent": value])?.traceID == Self.trace)
    #expect(TraceParent(of: ["traceparent": value, "Traceparent": value]) == nil)
    #expect(TraceParent(of: [:]) == nil)
  }
}
