import Logging
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a line of the log is written.
enum LogFormat: String, CaseIterable, Sendable {
  /// For a person: `2026-11-27T09:15:02.123Z warning ribd: A transaction took long. milliseconds=14 riblet=Cart`.
  case text
  /// For a program: one JSON object, with the members `ts`, `level`, `logger`, `msg` and those of the metadata.
  case json

  /// An entry of the log, which is written as one line.
  struct Entry {
    /// Nanoseconds since 1970.
    var time: Int64
    var level: Logger.Level
    /// The logger's name.
    var label: String
    var message: String
    /// The module that logs.
    var source = ""
    var metadata: Logger.Metadata
  }

  /// The line of an entry, with the end of the line.
  ///
  /// No text in the entry can end the line or begin another one, whoever has chosen it. Of each text are written at most ``sizeLimit``
  /// characters, and of all metadata ``valueLimit`` values.
  ///
  /// - Parameter entry: the entry.
  /// - Returns: the line as UTF-8.
  func line(of entry: Entry) -> [UInt8] {
    switch self {
    case .text: Array(Self.text(entry).utf8)
    case .json: Self.json(entry)
    }
  }

  /// How many characters of a text are written.
  static let sizeLimit = 1000
  /// How many values of metadata are written, with those in lists and dictionaries.
  static let valueLimit = 100
  /// How deep lists and dictionaries may lie in each other: many readers of JSON take no deeper ones.
  static let depthLimit = 8

  private static func text(_ entry: Entry) -> String {
    var line = "\(timestamp(entry.time)) \(entry.level) \(escaped(entry.label)): \(escaped(cut(entry.message)))"
    var left = valueLimit
    for (key, value) in sorted(entry.metadata) where left > 0 {
      let text = cut(Self.text(of: value, &left))
      let isPlain =
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.isVisible && !" \"=\\".unicodeScalars.contains($0) }
      line += " \(escaped(cut(key)))=\(isPlain ? text : "\"\(escaped(text, quotes: true))\"")"
    }
    return line + "\n"
  }

  /// A value, and of the values in it as many as there is room for.
  private static func text(of value: Logger.MetadataValue, _ left: inout Int) -> String {
    left -= 1
    switch value {
    case .string(let text): return cut(text)
    case .stringConvertible(let value): return cut(value.description)
    case .array(let values):
      var texts: [String] = []
      var rest = values[...]
      while left > 0, let value = rest.popFirst() { texts.append(text(of: value, &left)) }
      if !rest.isEmpty { texts.append("…") }
      return "[\(texts.joined(separator: ", "))]"
    case .dictionary(let values):
      var texts: [String] = []
      for (key, value) in sorted(values) where left > 0 { texts.append("\(cut(key)): \(text(of: value, &left))") }
      return "[\(texts.joined(separator: ", "))]"
    }
  }

  private static func json(_ entry: Entry) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    for (key, value) in [
      ("ts", timestamp(entry.time)), ("level", entry.level.rawValue), ("logger", entry.label),
      ("msg", cut(entry.message)), ("source", entry.source),
    ] {
      json.key(key)
      json.string(value)
    }
    var left = valueLimit
    for (key, value) in sorted(entry.metadata) where left > 0 {
      // A piece of metadata must not replace one of the members above.
      json.key(["ts", "level", "logger", "msg", "source"].contains(key) ? "metadata.\(key)" : cut(key))
      write(value, into: &json, &left)
    }
    json.endObject()
    return Array(String(decoding: json.bytes, as: UTF8.self).visible.utf8) + [UInt8(ascii: "\n")]
  }

  private static func cut(_ text: String) -> String {
    text.unicodeScalars.count > sizeLimit
      ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(sizeLimit))) + "…" : text
  }

  /// Writes a value, and of the values in it as many as there is room for.
  private static func write(
    _ value: Logger.MetadataValue, into json: inout JSONWriter, _ left: inout Int, depth: Int = 0
  ) {
    left -= 1
    switch value {
    case .array where depth == depthLimit, .dictionary where depth == depthLimit: json.string("…")
    case .string(let text): json.string(cut(text))
    case .stringConvertible(let value): json.string(cut(value.description))
    case .array(let values):
      json.beginArray()
      var rest = values[...]
      while left > 0, let value = rest.popFirst() { write(value, into: &json, &left, depth: depth + 1) }
      if !rest.isEmpty { json.string("…") }
      json.endArray()
    case .dictionary(let values):
      json.beginObject()
      for (key, value) in sorted(values) where left > 0 {
        json.key(cut(key))
        write(value, into: &json, &left, depth: depth + 1)
      }
      json.endObject()
    }
  }

  private static func sorted(_ metadata: Logger.Metadata) -> [(key: String, value: Logger.MetadataValue)] {
    metadata.sorted { $0.key < $1.key }
  }

  /// A time as RFC 3339 has it, in UTC, with milliseconds.
  private static func timestamp(_ nanoseconds: Int64) -> String {
    let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
    let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    let milliseconds = String(1000 + rest / 1_000_000).dropFirst()
    return "\(text.dropLast()).\(milliseconds)Z"
  }

  /// Text in which control characters, and such as turn the direction of what follows, are seen and do nothing.
  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    let marks = quotes ? Array("\"\\".unicodeScalars) : []
    guard text.unicodeScalars.contains(where: marks.contains) else { return text.visible }
    var escaped = ""
    for scalar in text.unicodeScalars { escaped += marks.contains(scalar) ? "\\\(scalar)" : String(scalar) }
    return escaped.visible
  }
}
