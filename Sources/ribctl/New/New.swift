import ArgumentParser
import Foundation

/// Writes a riblet, its builder and its test.
struct New: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a riblet, its builder and its test.",
    discussion: """
      In a Swift package: `ribctl new Home --in Sources/App --child Detail` writes Sources/App/Home/Home.swift and \
      HomeBuilder.swift, and Tests/AppTests/Home/HomeTests.swift; the same for Detail, unless it is there. Nothing is \
      overwritten. What is written compiles, and its tests pass.
      """)

  @Argument(help: "The riblet's name, a Swift type's: Home.")
  var name: String
  @Option(name: .customLong("in"), help: "The module's directory, such as Sources/App.")
  var directory: String
  @Flag(help: "A riblet without a view: its children appear under the nearest one that has one.")
  var viewless = false
  @Flag(name: .customLong("class"), help: "A class in place of a struct.")
  var isClass = false
  @Option(help: "The name of a riblet that it opens.")
  var child: String?

  func validate() throws {
    for name in [name, child].compactMap(\.self) {
      guard name.wholeMatch(of: /[A-Z][A-Za-z0-9_]*/) != nil else {
        throw ValidationError("“\(name)” is no name for a type: it begins with a capital letter, as in Home.")
      }
      if RibletTemplate.takenNames.contains(name) {
        throw ValidationError("“\(name)” is what a part of each riblet is called, or Swift itself: take another name.")
      }
    }
    if name == child { throw ValidationError("\(name) cannot be its own child.") }
    let parts = directory.split(separator: "/")
    guard parts.count >= 2, parts.dropLast().last == "Sources" else {
      throw ValidationError("--in is a module's directory in Sources, such as Sources/App, not “\(directory)”.")
    }
  }

  func run() throws {
    guard FileManager.default.fileExists(atPath: directory) else {
      throw NothingWritten(reason: "There is no directory \(directory): `swift package init` makes a package.")
    }
    let child = try child.map { try ChildTemplate($0, in: source(of: $0)) }
    var files = files(of: RibletTemplate(name: name, isViewless: viewless, isClass: isClass, child: child))
    if let taken = files.first(where: { FileManager.default.fileExists(atPath: $0.path) }) {
      throw NothingWritten(reason: "\(taken.path) is there already.")
    }
    if let child, child.isNew { files += self.files(of: RibletTemplate(name: child.name)) }
    for (path, text) in files {
      let url = URL(fileURLWithPath: path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
      Terminal.say(path)
    }
  }

  /// The sources of a riblet that is there already; nil if it is not.
  private func source(of name: String) -> String? {
    let texts = files(of: RibletTemplate(name: name)).filter { !$0.path.hasSuffix("Tests.swift") }
      .compactMap { try? String(contentsOfFile: $0.path, encoding: .utf8) }
    return texts.isEmpty ? nil : texts.joined()
  }

  /// The files of a riblet, by their paths.
  private func files(of template: RibletTemplate) -> [(path: String, text: String)] {
    let root = directory.hasPrefix("/") ? "/" : ""
    let parts = directory.split(separator: "/").map(String.init)
    let module = parts[parts.count - 1]
    let sources = root + parts.joined(separator: "/")
    let tests = root + (parts.dropLast(2) + ["Tests", "\(module)Tests"]).joined(separator: "/")
    let name = template.name
    return [
      ("\(sources)/\(name)/\(name).swift", template.riblet),
      ("\(sources)/\(name)/\(name)Builder.swift", template.builder),
      ("\(tests)/\(name)/\(name)Tests.swift", template.test(of: module)),
    ]
  }
}

/// Why nothing was written.
struct NothingWritten: Error, Equatable, CustomStringConvertible {
  let reason: String
  var description: String { "\(reason) Nothing was written." }
}
