import Testing
import Wire

@testable import RibServer

@Suite struct ClientProfileTests {
  /// What a client says of itself is kept as long as its session: a long text is cut, and never within a character.
  @Test(arguments: [("a", "a", 128), ("a", "é", 127), ("ab", "👋", 126)])
  func longText_isCut_betweenCharacters(begin: String, character: String, size: Int) throws {
    let text = begin + String(repeating: character, count: 128)
    let profile = try #require(ClientProfile(ClientInfo(name: text, timeZone: text), nil))
    let name = try #require(profile.info.name)
    #expect(name.utf8.count == size)
    #expect(text.hasPrefix(name))
    #expect(profile.info.timeZone == name)
  }
}
