import Foundation
import Testing

@testable import FuzzInvariants

/// The fuzzer's inputs that are kept, those among them with which it has once found something: what each target says holds.
///
/// `make fuzz` looks for new ones; `Fuzz/Regressions/README.md` says what becomes of them.
@Suite struct FuzzRegressionTests {
  /// One file, and the target whose folder it is in.
  struct Input: CustomTestStringConvertible, Sendable {
    let target: FuzzTarget
    let file: URL

    /// Such as `Regressions/json/wide-integers`.
    var testDescription: String { file.pathComponents.suffix(3).joined(separator: "/") }
  }

  private static let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Fuzz").standardized
  private static let kinds = ["Corpus", "Regressions"]

  static let inputs: [Input] = kinds.flatMap { kind in
    FuzzTarget.all.flatMap { target in
      names(in: "\(kind)/\(target.name)").map { name in
        Input(target: target, file: folder.appendingPathComponent("\(kind)/\(target.name)/\(name)"))
      }
    }
  }

  private static func names(in path: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(path).path)
    return (names ?? []).filter { !$0.hasPrefix(".") && $0 != "README.md" }.sorted()
  }

  @Test(arguments: inputs)
  func keptInput_holds(input: Input) throws {
    try input.target.check(Array(Data(contentsOf: input.file)))
  }

  @Test func everyTarget_hasInputs_andEveryFolderIsOfATarget() {
    let targets = Set(FuzzTarget.all.map(\.name))
    #expect(Set(Self.inputs.map(\.target.name)) == targets)
    for kind in Self.kinds { #expect(Set(Self.names(in: kind)).subtracting(targets).isEmpty, "in \(kind)") }
  }

  /// Were a violation swallowed on its way, every input would hold.
  @Test func violation_isThrown() {
    #expect(throws: Violation.self) { try require(false, "it never holds") }
    #expect(throws: Violation.self) {
      try requireSuccess("it never succeeds") { () throws -> Int in throw CancellationError() }
    }
    #expect(throws: Violation.self) { try FuzzInvariants.Hearing<Int>([[1, 2]], mostUnread: 1) { _ in nil } }
    let violation = Violation(description: "a reader has not refused this")
    #expect(throws: Violation.self) {
      try FuzzInvariants.Hearing<Int>([[1, 2]], mostUnread: 2) { _ in throw violation }
    }
  }
}
