import Testing

@testable import RibCore

@Suite struct CaseNameTests {
  private enum Plain { case tapped, renamed(String), moved(from: Int, to: Int), held(_ text: String) }
  private enum Raw: String { case tapped = "a tap" }
  private enum Described: CustomStringConvertible {
    case named(String), plain
    var description: String { "what a user has typed" }
  }
  private enum Debugged: CustomDebugStringConvertible {
    case plain
    var debugDescription: String { "what a user has typed" }
  }

  @Test func cases_haveNames_withoutWhatTheyHold() {
    #expect(caseName(of: Plain.tapped) == "tapped")
    #expect(caseName(of: Plain.renamed("secret")) == "renamed")
    #expect(caseName(of: Plain.moved(from: 1, to: 2)) == "moved")
    #expect(caseName(of: Plain.held("secret")) == "held")
    #expect(caseName(of: Raw.tapped) == "tapped")
  }

  /// No name is anything that a user has said.
  @Test func whatIsNoCase_hasNoName() {
    #expect(caseName(of: "secret") == nil)
    #expect(caseName(of: 5) == nil)
    #expect(caseName(of: ["secret": 1]) == nil)
    #expect(caseName(of: Described.named("secret")) == "named")
    #expect(caseName(of: Described.plain) == nil)
    #expect(caseName(of: Debugged.plain) == nil)
  }
}
