/// An extension that is offered or used, with its parameters (RFC 6455 §9.1).
struct WebSocketExtension: Equatable {
  struct Parameter: Equatable {
    let name: String
    /// Nil for a parameter without one; without its quotes if it had some.
    let value: String?
  }

  let name: String
  let parameters: [Parameter]

  /// How it is written.
  var text: String {
    let written = parameters.map { parameter in parameter.name + (parameter.value.map { "=\($0)" } ?? "") }
    return ([name] + written).joined(separator: "; ")
  }

  /// The extensions that a message names, in order.
  ///
  /// - Parameter headers: the message's.
  /// - Returns: the extensions.
  /// - Throws: ``HTTPError`` with 400 if they are not written as §9.1 has it: the connection must be failed then.
  static func list(in headers: HeaderFields) throws(HTTPError) -> [WebSocketExtension] {
    var extensions: [WebSocketExtension] = []
    for value in headers.values(for: "Sec-WebSocket-Extensions") {
      var scanner = Scanner(rest: Array(value.utf8)[...])
      guard let list = scanner.list() else {
        throw .badRequest("Sec-WebSocket-Extensions is not a list of extensions (RFC 6455 §9.1).")
      }
      extensions += list
    }
    return extensions
  }
}

/// Reads what is left of a field's value.
private struct Scanner {
  var rest: ArraySlice<UInt8>

  /// A list whose elements may be missing (RFC 9110 §5.6.1).
  mutating func list() -> [WebSocketExtension]? {
    var list: [WebSocketExtension] = []
    repeat {
      skipWhitespace()
      if rest.isEmpty || rest.first == UInt8(ascii: ",") { continue }
      guard let element = element() else { return nil }
      list.append(element)
    } while skip(UInt8(ascii: ","))
    return rest.isEmpty ? list : nil
  }

  private mutating func element() -> WebSocketExtension? {
    guard let name = token() else { return nil }
    var parameters: [WebSocketExtension.Parameter] = []
    while skip(UInt8(ascii: ";")) {
      guard let name = token() else { return nil }
      var value: String?
      if skip(UInt8(ascii: "=")) {
        value = rest.first == UInt8(ascii: "\"") ? quoted() : token()
        if value == nil { return nil }
      }
      parameters.append(.init(name: name, value: value))
    }
    return WebSocketExtension(name: name, parameters: parameters)
  }

  /// A token, and the whitespace after it.
  private mutating func token() -> String? {
    let bytes = rest.prefix(while: HTTPGrammar.isTokenByte)
    guard !bytes.isEmpty else { return nil }
    rest = rest[bytes.endIndex...]
    skipWhitespace()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A token in quotes (RFC 9110 §5.6.4), which RFC 6455 §9.1 allows for a value, and the whitespace after it.
  private mutating func quoted() -> String? {
    rest = rest.dropFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") {
        skipWhitespace()
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
      }
      guard let unescaped = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte, HTTPGrammar.isTokenByte(unescaped)
      else { return nil }
      bytes.append(unescaped)
    }
    return nil
  }

  /// Goes past a byte and the whitespace after it.
  ///
  /// - Returns: whether it was there.
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    skipWhitespace()
    return true
  }

  private mutating func skipWhitespace() { rest = rest.drop(while: HTTPGrammar.isWhitespace) }
}
