/// An extension that is offered or used, with its parameters (RFC 6455 §9.1).
struct WebSocketExtension: Equatable {
  typealias Parameter = FieldScanner.Parameter

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
      guard let list = list(in: value) else {
        throw .badRequest("Sec-WebSocket-Extensions is not a list of extensions (RFC 6455 §9.1).")
      }
      extensions += list
    }
    return extensions
  }

  /// A list whose elements may be missing (RFC 9110 §5.6.1).
  private static func list(in value: String) -> [WebSocketExtension]? {
    var scanner = FieldScanner(value)
    var list: [WebSocketExtension] = []
    repeat {
      scanner.skipWhitespace()
      if scanner.next == nil || scanner.next == UInt8(ascii: ",") { continue }
      guard let name = scanner.token(), let parameters = scanner.parameters() else { return nil }
      // §9.1: a value in quotes is a token, too.
      guard parameters.allSatisfy({ $0.value.map { HTTPGrammar.isToken($0) } ?? true }) else { return nil }
      list.append(WebSocketExtension(name: name, parameters: parameters))
    } while scanner.skip(UInt8(ascii: ","))
    return scanner.next == nil ? list : nil
  }
}
