import Wire

/// A typed action: `[ADDRESS] CASE [PAYLOAD]`, or `[ADDRESS] JSON`.
///
///     increment            {"increment":{}} for the root
///     select 2             {"select":2}
///     #7 rename {"to":"x"} for node 7
///     @tabs[0] open "42"   for whatever is at tabs[0]
///     {"select":{"_0":2}}  as it stands
struct ActionLine: Equatable {
  /// Whom it is for; nil for the root.
  var address: NodeAddress?
  /// The action.
  var action: JSONValue

  /// Reads a line.
  ///
  /// - Throws: ``ActionLineError`` if it is none.
  init(parsing line: String) throws(ActionLineError) {
    var rest = Self.trim(line[...])
    if let mark = rest.first, mark == "#" || mark == "@" {
      let word = Self.takeWord(&rest).dropFirst()
      if mark == "@" {
        address = .path(String(word))
      } else if let id = Int(word), id > 0 {
        address = .id(id)
      } else {
        throw ActionLineError(reason: "\"#\(word)\" is no node: write # and its id.")
      }
    }
    guard let first = rest.first else { throw ActionLineError(reason: "There is no action.") }
    if first == "{" || first == "\"" {
      action = try Self.json(rest)
      return
    }
    let name = String(Self.takeWord(&rest))
    do throws(ActionLineError) {
      action = .object([name: rest.isEmpty ? .object([:]) : try Self.json(rest)])
    } catch {
      guard rest.first?.isLetter == true, !rest.contains("\"") else { throw error }
      throw ActionLineError(reason: "\(error.reason) Text is written in quotes: \(name) \"\(rest)\"")
    }
  }

  private static func json(_ text: Substring) throws(ActionLineError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: String(text))
    } catch {
      throw ActionLineError(reason: "\(text) is no JSON: \(error).")
    }
  }

  private static func takeWord(_ text: inout Substring) -> Substring {
    let word = text.prefix { $0 != " " && $0 != "\t" }
    text = trim(text.dropFirst(word.count))
    return word
  }

  private static func trim(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

/// A line that is no action.
struct ActionLineError: Error, Equatable, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}
