import Foundation
import RibTestSupport
import Wire

/// A file of `Tests/Conversations`: what clients and a server have said to each other, one step a line.
///
/// The README.md of the folder says what a step may be.
struct ConversationFile {
  private static let folder = repository.appendingPathComponent("Tests/Conversations")

  /// The names of all conversations, in order.
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }.sorted()

  /// One line of the file.
  struct Step {
    /// The line's index.
    fileprivate let index: Int
    /// The line without its indent, and without the comma behind it.
    fileprivate let text: String
    fileprivate let json: JSONValue

    fileprivate init(index: Int, line: String) throws {
      let step = line.dropFirst(ConversationFile.indent.count)
      self.index = index
      text = String(step.hasSuffix(",") ? step.dropLast() : step)
      json = try JSONValue(parsing: text)
    }

    /// A member of the step; nil if it has none of this name.
    subscript(_ key: String) -> JSONValue? { json[key] }

    /// The text of a member, as the file has it.
    func source(of key: String) throws -> String {
      var reader = JSONReader()
      guard let member = try reader.read(text).root[key] else {
        throw ConversationError(description: "the step has no \(key)")
      }
      return member.source
    }
  }

  /// What the line of a step begins with.
  fileprivate static let indent = "  "

  /// Every step, in order.
  let steps: [Step]
  /// Whether it has messages that no server sends.
  let isMadeUp: Bool
  private let url: URL
  private var lines: [String]

  /// Reads a conversation.
  ///
  /// - Throws: ``ConversationError`` if the file does not have one step a line, and so cannot be recorded anew.
  init(_ name: String) throws {
    let url = Self.folder.appendingPathComponent("\(name).json")
    let text = try String(contentsOf: url, encoding: .utf8)
    let lines = text.components(separatedBy: "\n")
    let whole = try JSONValue(parsing: text)
    let steps = try lines.enumerated().filter { $0.element.hasPrefix("\(Self.indent){") }
      .map { try Step(index: $0.offset, line: $0.element) }
    guard whole["name"] == .string(name), whole["steps"] == .array(steps.map(\.json)) else {
      throw ConversationError(description: "\(name).json has another name, or steps that do not have a line each")
    }
    (self.url, self.lines, self.steps) = (url, lines, steps)
    isMadeUp = whole["madeUp"] == .bool(true)
  }

  /// Whether the server had a store on the disk.
  var isOnDisk: Bool { steps.contains { $0["S"]?["durability"] == .string("disk") } }

  /// Where a step is, for a failure.
  func place(of step: Step) -> String { "\(url.lastPathComponent):\(step.index + 1)" }

  /// Puts what the server says now in the place of the message that a step has.
  mutating func record(_ message: String, at step: Step) throws {
    let old = try step.source(of: "S")
    guard let range = lines[step.index].range(of: old, options: .literal) else {
      throw ConversationError(description: "the line was recorded before")
    }
    lines[step.index].replaceSubrange(range, with: message)
  }

  /// Writes the file, with what was recorded.
  func write() throws { try lines.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8) }
}

/// Why a conversation does not go as it was recorded.
struct ConversationError: Error, CustomStringConvertible {
  let description: String
}
