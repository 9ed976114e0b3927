import Foundation
import Testing

@testable import Wire

/// Where they are; nil if they are not there.
private let folder = ProcessInfo.processInfo.environment["RIB_JSON_SUITES"].map { URL(fileURLWithPath: $0) }

/// The public suites of JSON and of JSON Patch, case by case: `scripts/json-suites` fetches them and says where they are.
@Suite(.enabled(if: folder != nil, "run by scripts/json-suites"))
struct PublicSuiteTests {
  /// What the suite says that a reader does with a file, by the first letter of its name.
  private enum Verdict: Character {
    case taken = "y"
    case refused = "n"
    case either = "i"
  }

  @Test func jsonTestSuite_isPassed() throws {
    let files = try #require(folder).appendingPathComponent("JSONTestSuite/test_parsing")
    var counts: [Verdict: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
      let bytes = try Array(Data(contentsOf: files.appendingPathComponent(name)))
      let verdict = try #require(name.first.flatMap(Verdict.init), "\(name)")
      var reader = JSONReader()
      let isTaken = (try? reader.read(bytes.span)) != nil
      #expect(isTaken == (verdict == .taken) || verdict == .either, "\(name)")
      counts[verdict, default: 0] += 1
    }
    print("JSONTestSuite:", counts.map { "\($1) \($0)" }.sorted().joined(separator: ", "))
    #expect(counts[.taken, default: 0] >= 95 && counts[.refused, default: 0] >= 188)
  }

  /// Cases with `test` or `copy`, which are no operations of this protocol, are left out.
  @Test(arguments: [("tests.json", 71), ("spec_tests.json", 12)])
  func jsonPatchTests_arePassed(file: String, atLeast count: Int) throws {
    let url = try #require(folder).appendingPathComponent("json-patch-tests/\(file)")
    let cases = try JSONElement(parsing: String(contentsOf: url, encoding: .utf8))
    var run = 0
    for each in cases.elements where each["disabled"] == nil {
      guard let patch = each["patch"], let document = each["doc"].map(JSONValue.init) else { continue }
      if patch.elements.contains(where: { ["test", "copy"].contains($0["op"]?.string) }) { continue }
      run += 1
      let name = each["comment"]?.string ?? JSONValue(patch).text
      var result = document
      let isTaken = (try? result.apply(patch.elements.map { try PatchOperation($0) })) != nil
      #expect(isTaken == (each["expected"] != nil), "\(name)")
      #expect(result.text == each["expected"].map { JSONValue($0).text } ?? document.text, "\(name)")
    }
    print("json-patch-tests: \(run) of the \(cases.count) cases of \(file)")
    #expect(run >= count)
  }
}
