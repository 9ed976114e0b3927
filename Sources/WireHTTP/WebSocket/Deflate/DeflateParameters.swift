import Wire

/// The parameters of permessage-deflate, in an offer or in the answer to one (RFC 7692 §7.1).
struct DeflateParameters: Equatable {
  var serverNoContextTakeover = false
  var clientNoContextTakeover = false
  /// Nil if it is not given.
  var serverMaxWindowBits: Int?
  /// Nil if it is not given; the largest if it is given without a value.
  var clientMaxWindowBits: Int?

  /// Which message they stand in.
  enum Place {
    case offer
    /// Where `client_max_window_bits` has a value (§7.1.2.2).
    case answer
  }

  /// No parameters.
  init() {}

  /// Reads parameters.
  ///
  /// Nil for another extension, and for a parameter that is unknown, there twice, or has a value that it may not have:
  /// such an offer is declined, such an answer fails the connection (§7.1).
  ///
  /// - Parameters:
  ///   - element: the extension, as it was sent.
  ///   - place: where.
  init?(_ element: WebSocketExtension, in place: Place) {
    guard element.name == PerMessageDeflate.name else { return nil }
    var seen: Set<ExactString> = []
    for parameter in element.parameters {
      guard seen.insert(ExactString(parameter.name)).inserted, read(parameter, in: place) else { return nil }
    }
  }

  private mutating func read(_ parameter: WebSocketExtension.Parameter, in place: Place) -> Bool {
    switch (parameter.name, parameter.value) {
    case ("server_no_context_takeover", nil): serverNoContextTakeover = true
    case ("client_no_context_takeover", nil): clientNoContextTakeover = true
    case ("server_max_window_bits", let value?):
      guard let bits = Self.windowBits(value) else { return false }
      serverMaxWindowBits = bits
    case ("client_max_window_bits", let value?):
      guard let bits = Self.windowBits(value) else { return false }
      clientMaxWindowBits = bits
    case ("client_max_window_bits", nil) where place == .offer:
      clientMaxWindowBits = PerMessageDeflate.largestWindowBits
    default: return false
    }
    return true
  }

  /// A number from 8 to 15, without leading zeros (§7.1.2).
  private static func windowBits(_ text: String) -> Int? {
    PerMessageDeflate.windowBits.first { "\($0)" == text }
  }

  /// The extension with these parameters.
  var element: WebSocketExtension {
    var parameters: [WebSocketExtension.Parameter] = []
    func add(_ name: String, _ value: Int? = nil) { parameters.append(.init(name: name, value: value.map { "\($0)" })) }
    if serverNoContextTakeover { add("server_no_context_takeover") }
    if clientNoContextTakeover { add("client_no_context_takeover") }
    if let serverMaxWindowBits { add("server_max_window_bits", serverMaxWindowBits) }
    if let clientMaxWindowBits { add("client_max_window_bits", clientMaxWindowBits) }
    return WebSocketExtension(name: PerMessageDeflate.name, parameters: parameters)
  }
}
