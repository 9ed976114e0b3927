import Testing

@testable import Wire

@Suite("Comparing elements by their bits")
struct ElementBitsTests {
  private struct Row: Equatable {
    var id: Int
    var isDone: Bool
    // Seven bytes of padding.
    var title: String
    var isLast: Bool
    // Seven more, which are not the element's.
  }

  private enum Payload: Equatable {
    case short(Bool)
    case long(String)
  }

  private struct Mixed: Equatable {
    var id: Int
    var payload: Payload
  }

  /// What a comparison says of two arrays.
  private func compare<Element>(_ ours: [Element], _ theirs: [Element]) -> (start: Int, end: Int, places: [Int]?) {
    ours.withUnsafeBufferPointer { ours in theirs.withUnsafeBufferPointer { theirs in compare(ours, theirs) } }
  }

  private func compare<Element>(
    _ ours: UnsafeBufferPointer<Element>, _ theirs: UnsafeBufferPointer<Element>
  ) -> (start: Int, end: Int, places: [Int]?) {
    let bits = ElementBits(ours, theirs)
    return (
      bits.commonPrefix, bits.commonSuffix(atMost: min(ours.count, theirs.count)),
      ours.count == theirs.count ? bits.differences(in: ours.indices) : nil
    )
  }

  /// Copies of rows in memory whose every byte was this one before.
  private func withCopies<Element, Result>(
    of rows: [Element], over byte: UInt8, _ body: (UnsafeBufferPointer<Element>) -> Result
  ) -> Result {
    let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: rows.count)
    UnsafeMutableRawBufferPointer(memory).initializeMemory(as: UInt8.self, repeating: byte)
    _ = memory.initialize(from: rows)
    // However the compiler copied them, the padding is what it was.
    for offset in Self.padding(of: Element.self) {
      for start in stride(from: 0, to: rows.count * MemoryLayout<Element>.stride, by: MemoryLayout<Element>.stride) {
        UnsafeMutableRawBufferPointer(memory)[start + offset] = byte
      }
    }
    defer {
      memory.deinitialize()
      memory.deallocate()
    }
    return body(UnsafeBufferPointer(memory))
  }

  private static func padding<Element>(of type: Element.Type) -> [Int] {
    type == Row.self ? Array(9..<16) + Array(33..<40) : []
  }

  @Test("the first and the last difference, and all between, are found wherever they are", arguments: [0, 1, 2, 7, 30])
  func difference_isFound(count: Int) {
    let ours = (0..<count).map { Row(id: $0, isDone: false, title: "the title of number \($0)", isLast: false) }
    let same = compare(ours, ours)
    #expect(same.start == count && same.end == count && same.places == [])
    for place in 0..<count {
      for change in 0..<4 {
        var theirs = ours
        switch change {
        case 0: theirs[place].id = -1
        case 1: theirs[place].isDone = true
        case 2: theirs[place].title = "another title of the row"
        default: theirs[place].isLast = true
        }
        let difference = compare(ours, theirs)
        #expect(difference.start == place && difference.end == count - 1 - place && difference.places == [place])
      }
    }
  }

  @Test("arrays of different lengths are compared from both ends")
  func lengths_mayDiffer() {
    let ours = Array(0..<10)
    #expect(compare(ours, Array(0..<7)).start == 7)
    #expect(compare(ours, Array(3..<10)).end == 7)
    #expect(compare(ours, Array(3..<10)).start == 0)
    #expect(compare(ours, []).start == 0 && compare(ours, []).end == 0)
  }

  @Test("bytes that belong to no property are not looked at")
  func padding_isIgnored() {
    let rows = (0..<20).map { Row(id: $0, isDone: true, title: "the title of number \($0)", isLast: true) }
    let result = withCopies(of: rows, over: 0x00) { ours in
      withCopies(of: rows, over: 0xFF) { theirs in
        #expect(!UnsafeRawBufferPointer(ours).elementsEqual(UnsafeRawBufferPointer(theirs)))
        return compare(ours, theirs)
      }
    }
    #expect(result.start == 20 && result.end == 20 && result.places == [])
  }

  @Test("what is padding for one value of an enum is not for another")
  func payloads_areLookedAt() {
    let ours = [
      Mixed(id: 0, payload: .short(true)), Mixed(id: 1, payload: .long("a")), Mixed(id: 2, payload: .long("b")),
    ]
    var theirs = ours
    theirs[1].payload = .long("c")
    let result = withCopies(of: ours, over: 0x00) { ours in
      withCopies(of: theirs, over: 0xFF) { theirs in compare(ours, theirs) }
    }
    #expect(result.places?.contains(1) == true)
    #expect(result.places?.contains(2) == false)
  }

  @Test("equal references to an object say nothing")
  func references_areNotCompared() {
    final class Box {}
    let boxes = [Box(), Box()]
    let result = compare(boxes, boxes)
    #expect(result.start == 0 && result.end == 0 && result.places == [0, 1])
  }
}
