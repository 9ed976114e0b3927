import Foundation
import Synchronization
import Testing

@testable import Wire

/// Who writes has the limit of who reads.
@Suite("Depth of what is written")
struct ViewEncoderDepthTests {
  static let kinds: [any Nested.Type] = [
    NestedThread.self, NestedCase.self, NestedFolder.self, NestedBox.self, JSONValue.self,
  ]

  /// From values that everybody can read to values that nobody can.
  static let levels = [1, 2, 60, 126, 127, 128, 167, 168, 169, 251, 252, 253, 254, 255, 256, 503, 504, 505, 2500]

  /// The levels of brackets in a text.
  private static func nesting(of text: String) -> Int {
    var (depth, deepest) = (0, 0)
    for byte in text.utf8 {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
      if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { depth -= 1 }
      deepest = max(deepest, depth)
    }
    return deepest
  }

  @Test(
    "a value that is written is read again, also within a message", arguments: kinds + [NestedSet.self],
    [CodingForm.wire, .state])
  func writtenValue_isRead(kind: any Nested.Type, form: CodingForm) throws {
    try Self.expectRead(kind, form)
  }

  @Test("a dictionary that is coded as an array is written and read in a state")
  func writtenTable_isRead() throws { try Self.expectRead(NestedTable.self, .state) }

  /// Each level is sorted by the text of its elements: a text that was made anew for each level above would take twice as long with each.
  ///
  /// That would take months. The limit is long because it counts the time in which all other tests have the machine, too.
  @Test("the difference of sets within each other is found in time", .timeLimit(.minutes(30)))
  func differenceOfSets_isFound() throws {
    let (old, new) = (NestedSet.make(40), NestedSet.make(41))
    var (before, after, patch) = (JSONWriter(), JSONWriter(), PatchWriter())
    try ViewEncoder().write(old, into: &before)
    try ViewEncoder().write(new, into: &after)
    try ViewEncoder(prefersShorter: false).writeDifference(from: old, to: new, into: &patch)
    var document = try JSONValue(parsing: before.text)
    try document.apply([PatchOperation](parsing: patch.text))
    #expect(document.text == (try JSONValue(parsing: after.text)).text)
  }

  private static func expectRead<Value: Nested>(_ type: Value.Type, _ form: CodingForm) throws {
    var refused = 0
    for levels in levels {
      let value = Value.make(levels)
      let encoder = ViewEncoder(prefersShorter: form == .wire, form: form)
      var json = JSONWriter()
      do throws(CaptureError) {
        try encoder.write(value, into: &json)
      } catch {
        #expect(error.reason == "it is nested more than 504 levels deep")
        #expect(json.bytes.isEmpty)
        refused += 1
        continue
      }
      #expect(refused == 0, "\(levels) levels of \(type) are written, and fewer are not")
      let text = json.text
      #expect(nesting(of: text) <= JSONLimits.valueNesting)
      let wrapped =
        String(repeating: "[", count: JSONLimits.envelope) + text + String(repeating: "]", count: JSONLimits.envelope)
      #expect(throws: Never.self) { try JSONValue(parsing: wrapped) }
      let element = try StateCoder.read(text)
      let decoded: Value =
        form == .state ? try StateCoder.decode(from: element) : try ActionDecoder.decodeValue(from: element)
      #expect(decoded == value, "\(levels) levels of \(type)")
    }
    #expect(refused > 0)
  }

  @Test("a difference is as deep as the value that it is written for", arguments: kinds)
  func difference_isHeldToTheLimit(kind: any Nested.Type) throws { try Self.expectDifference(kind) }

  private static func expectDifference<Value: Nested>(_ type: Value.Type) throws {
    for levels in levels.dropFirst() {
      let (old, new) = (Value.make(levels - 1), Value.make(levels))
      let encoder = ViewEncoder(prefersShorter: false)
      var json = JSONWriter()
      let isWritten = (try? encoder.write(new, into: &json)) != nil
      var patch = PatchWriter()
      guard (try? encoder.writeDifference(from: old, to: new, into: &patch)) != nil else {
        #expect(!isWritten, "\(levels) levels of \(type)")
        continue
      }
      // The difference may look less deep into a value than writing does, and never deeper.
      guard isWritten else { continue }
      var before = JSONWriter()
      try encoder.write(old, into: &before)
      var document = try JSONValue(parsing: before.text)
      try document.apply([PatchOperation](parsing: patch.text))
      #expect(document == (try JSONValue(parsing: json.text)), "\(levels) levels of \(type)")
    }
  }

  /// A thread has 8 MiB on Linux, unless somebody says otherwise; a debug build needs the most.
  @Test("values at the limit need little of a stack") func valueAtTheLimit_needsLittleStack() async {
    await #expect(processExitsWith: .success) { try ViewEncoderDepthTests.useAllOnASmallStack() }
  }

  private static func useAllOnASmallStack() throws {
    let outcome = Mutex(Result<Void, any Error>.failure(CancellationError()))
    let hasEnded = DispatchSemaphore(value: 0)
    let thread = Thread {
      let result = Result { try useAll() }
      outcome.withLock { $0 = result }
      hasEnded.signal()
    }
    thread.stackSize = 6 << 20
    thread.start()
    hasEnded.wait()
    try outcome.withLock { try $0.get() }
  }

  /// Writes, compares, reads and decodes the deepest value that there may be.
  private static func useAll() throws {
    let (old, new) = (NestedThread.make(251), NestedThread.make(252))
    let encoder = ViewEncoder()
    var json = JSONWriter()
    try encoder.write(new, into: &json)
    var patch = PatchWriter()
    try encoder.writeDifference(from: old, to: new, into: &patch)
    let element = try StateCoder.read(json.text)
    let _: NestedThread = try StateCoder.decode(from: element)
    let _: NestedThread = try ActionDecoder.decodeValue(from: element)
    let value: JSONValue = try ActionDecoder.decodeValue(from: element)
    _ = value == JSONValue(element)
    _ = value.canonicalBytes
    var again = JSONWriter()
    try encoder.write(value, into: &again)
    _ = element.source
    let folder = NestedFolder.make(126)
    json.removeAll()
    try encoder.write(folder, into: &json)
    let _: NestedFolder = try ActionDecoder.decodeValue(from: try StateCoder.read(json.text))
  }
}
