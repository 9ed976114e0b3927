import Foundation
import RibTestSupport
import Testing

/// The articles' code is compiled.
@Suite struct ArticlesTests {
  /// Swift code that stands in an article.
  struct Block: CustomStringConvertible {
    let article: String
    let lines: [String]

    var description: String { "\(article): \(lines.first ?? "")" }
  }

  private static func texts(in folder: String, ext: String) throws -> [(name: String, text: String)] {
    let folder = repository.appendingPathComponent(folder)
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.appendingPathComponent($0) }
      .filter { $0.pathExtension == ext }
      .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
  }

  private static func articles() throws -> [(name: String, text: String)] {
    try texts(in: "Sources/RibCore/RibCore.docc", ext: "md")
      + texts(in: "Sources/RibTesting/RibTesting.docc", ext: "md")
      + texts(in: "Sources/RibAuth/RibAuth.docc", ext: "md")
      // scripts/check-guide builds the package of the guide.
      + texts(in: "Sources/RibServer/RibServer.docc", ext: "md").filter { $0.name != "YourFirstApp.md" }
  }

  private static func blocks() throws -> [Block] {
    try articles().flatMap { article in
      article.text.components(separatedBy: "```swift\n").dropFirst().map { rest in
        let code = rest.components(separatedBy: "\n```")[0]
        return Block(article: article.name, lines: code.components(separatedBy: "\n"))
      }
    }
  }

  /// Whole lines with their indentation, all of one block in one snippet, or in one file of the showcase or its tests, and
  /// in the same order.
  @Test func swiftBlocks_areCompiledSnippets() throws {
    let folders = ["Snippets", "Sources/Showcase", "Tests/ShowcaseTests", "Tests/RibTestingTests"]
    let texts = try folders.flatMap { try Self.texts(in: $0, ext: "swift") }
    let snippets = texts.map { $0.text.components(separatedBy: "\n") }
    let blocks = try Self.blocks()
    try #require(blocks.count >= 10)
    for block in blocks {
      let lines = block.lines.filter { !$0.trimmingCharacters(in: .whitespaces).isEmpty }
      #expect(!lines.isEmpty, "\(block)")
      let missing = snippets.map { lines.firstMissing(from: $0) }
      // Of the snippet that comes nearest, the first line that is not where it should be.
      let places = missing.map { line in line.flatMap { lines.firstIndex(of: $0) } ?? lines.count }
      let furthest = places.max() ?? 0
      #expect(furthest == lines.count, "\(block): \(lines.dropFirst(furthest).first ?? "")")
    }
  }

  @Test func everyArticle_hasCode() throws {
    let articles = try Self.articles().map(\.name)
    let withCode = Set(try Self.blocks().map(\.article))
    #expect(
      articles.filter { !withCode.contains($0) }.sorted() == [
        "RibCore.md", "RibServer.md", "RibTesting.md", "Settings.md",
      ])
  }

  /// The packages that an article tells to depend on are those that this one is built with.
  @Test func packageLines_areThoseOfThePackage() throws {
    let package = try String(contentsOf: repository.appendingPathComponent("Package.swift"), encoding: .utf8)
    let article = try #require(try Self.articles().first { $0.name == "OwnServer.md" })
    let lines = article.text.components(separatedBy: "\n").filter { $0.contains(".package(url:") }
    #expect(lines.count == 2)
    for line in lines { #expect(package.contains(line), "\(line)") }
  }

  @Test func firstRiblet_hasAtMostTwentyLines() throws {
    let counters = try Self.blocks().filter { block in
      block.article == "FirstRiblet.md" && block.lines.contains { $0.hasPrefix("struct Counter") }
    }
    try #require(counters.count == 1)
    #expect(counters[0].lines.count <= 20)
  }
}
