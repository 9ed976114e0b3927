public import RibCore
public import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Compares the shapes of riblets' states with those that were deployed: a test fails before a deploy has sessions that it cannot read.
///
///     @Test func stateShapes_decodeWhatWasDeployed() throws {
///       try StateShapes.check(apps, against: "state-shapes.json")
///     }
///
/// The file is beside the test and is checked in. For each riblet's `typeName` it has, for the present `stateVersion` and each former one,
/// the JSON Schema of `State` and examples. A shape may get members that are optional, and cases. A shape that has lost a
/// member or a case, or has another type or a new required member somewhere, fails the test as long as its `stateVersion` is the same. Each
/// example has to decode or, of a former version, to migrate.
///
/// How the file is written says the environment variable `RIB_STATE_SHAPES`, set while the test runs:
///
/// - `accept` adds what is new: riblets, versions, optional members and cases. It refuses what sessions of a deployed version would not survive.
/// - `replace` takes all shapes as they are, and forgets riblets that are gone: for what was never deployed.
public enum StateShapes {
  /// The environment variable that says how the file is written.
  public static let variable = "RIB_STATE_SHAPES"

  /// Fails if states that were saved with a shape in the file would not be restored.
  ///
  /// Each app's tree is started, and riblets are looked for below by states that are made up, with something in all of
  /// their containers; effects are not started. Give riblets that are not found so as `riblets`.
  ///
  /// - Parameters:
  ///   - apps: the apps, as the server has them.
  ///   - riblets: riblets that are attached in no such tree, as those of an app that wants parameters.
  ///   - file: the file's path, from the folder of the test's source file.
  ///   - test: the test's source file, filled in by the compiler.
  ///   - sourceLocation: the line of a warning, filled in by the compiler.
  /// - Throws: ``StateShapeError`` with all that is wrong; what an app says if its root cannot be built; an error of the file system.
  public static func check(
    _ apps: [any SampleTreeSource], riblets: [any Riblet] = [], against file: String, test: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let word = ProcessInfo.processInfo.environment[variable] ?? ""
    guard let mode = StateShapeMode(rawValue: word) else {
      throw StateShapeError(problems: ["\(variable) is \"\(word)\". It may be accept or replace."])
    }
    let news = try check(apps, riblets: riblets, against: file, test: test, mode)
    guard !news.isEmpty else { return }
    let text = """
      These are not in \(file) yet, so that nobody would notice if they were renamed. Run the test with \(variable)=accept.

      \(news.joined(separator: "\n"))
      """
    Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: sourceLocation)
  }

  /// Compares, and writes the file if it is to be written.
  ///
  /// - Returns: what is new and does no harm, and was not written.
  static func check(
    _ apps: [any SampleTreeSource], riblets: [any Riblet], against file: String, test: String, _ mode: StateShapeMode
  ) throws -> [String] {
    let survey = ShapeSurvey()
    for app in apps { try survey.look(at: app) }
    for riblet in riblets { survey.look(at: riblet) }
    let path = URL(fileURLWithPath: file, relativeTo: URL(fileURLWithPath: test).deletingLastPathComponent()).path
    var record = try StateShapeFile(contentsOf: path)
    let findings = record.compare(with: survey.shapes)
    let problems = findings.problems(in: mode)
    guard problems.isEmpty else { throw StateShapeError(problems: problems) }
    guard mode != .compare else { return findings.news }
    record.update(with: survey.shapes, mode)
    try record.write(to: path)
    return []
  }
}

/// The ways in which a test may change the file.
enum StateShapeMode: String {
  /// The file stays as it is.
  case compare = ""
  /// New entries are added.
  case accept
  /// The file gets all shapes as they are.
  case replace
}

/// Saved states would not be restored, or the file does not have a shape.
public struct StateShapeError: Error, Equatable, CustomStringConvertible {
  /// The faults: the riblet's type name, the place in its state, and what to do.
  public let problems: [String]

  /// All of it.
  public var description: String { problems.joined(separator: "\n\n") }
}
