import Testing

@testable import RibServer

@Suite struct SubjectMarkTests {
  @Test func mark_isOfOnePersonAndOneProcess() {
    let (mark, other) = (SubjectMark(), SubjectMark())
    #expect(mark("ada") == mark("ada"))
    #expect(mark("ada") != mark("eve"))
    #expect(mark("ada") != other("ada"))
    #expect(mark("ada").count == 17 && mark("ada").first == "~")
    #expect(!mark("ada").contains("ada"))
  }
}
