import Wire

/// Parses a token and checks its header, before any signature is verified.
///
/// Each rule refuses what a library for tokens may accept: jwt-kit pins a key to the algorithm of the first token that names the key,
/// uses another key in place of one that it does not have, and ignores `crit`. So the gate parses header and payload itself, and
/// jwt-kit only verifies a signature with a key and the algorithm that the key set or the configuration names for it.
///
/// `jwk`, `jku`, `x5u` and `x5c` are ignored: no token brings the key that it is checked with (RFC 8725 §3.10).
struct TokenGate: Sendable {
  /// The most bytes of a token.
  ///
  /// Tokens of the large issuers have up to 4 KiB, with groups; many proxies limit a header field to 8 KiB.
  static let byteLimit = 8192
  /// The most bytes of a `kid`.
  static let keyNameLimit = 256
  /// How deep header and payload may be nested.
  private static let limits = JSONLimits(depth: 16, bytes: byteLimit, takesHalfPairs: false)

  private let algorithms: Set<JWTSettings.Algorithm>
  /// The accepted values of `typ`, in lower case, without `application/`.
  private let types: Set<ExactString>

  /// A gate.
  ///
  /// - Parameter settings: the tokens that it lets in.
  init(_ settings: JWTSettings) {
    algorithms = Set(settings.algorithms)
    types = Set(settings.types.map(Self.type))
  }

  /// Reads a token.
  ///
  /// - Parameter text: the token in its compact form (RFC 7515 §7.1).
  /// - Returns: its parts.
  /// - Throws: ``TokenFault``.
  func read(_ text: String) throws(TokenFault) -> UnverifiedToken {
    guard text.utf8.count <= Self.byteLimit else { throw .tooLong }
    let bytes = Array(text.utf8)
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // RFC 7516 §9: five parts are an encrypted token.
    guard parts.count == 3 else { throw .notThreeParts }
    let header = try object(parts[0], .header)
    let payload = try object(parts[1], .payload)
    guard let signature = Base64URL.decode(parts[2]) else { throw .notBase64URL(.signature) }
    let algorithm = try algorithm(header)
    try checkExtensions(header)
    try checkType(header)
    return UnverifiedToken(
      algorithm: algorithm, keyName: try keyName(header), signedBytes: bytes[..<parts[1].endIndex],
      signature: signature, payload: payload)
  }

  private func object(_ bytes: ArraySlice<UInt8>, _ part: TokenFault.Part) throws(TokenFault) -> JSONElement {
    guard let text = Base64URL.decode(bytes) else { throw .notBase64URL(part) }
    var reader = JSONReader(limits: Self.limits)
    let root: JSONElement
    do throws(JSONError) {
      root = try reader.read(text.span).root
    } catch {
      throw .notJSON(part, error.reason)
    }
    guard root.kind == .object else { throw .notAnObject(part) }
    // No signature is checked yet: whoever has sent the token may have put anything into it.
    guard root.isStreamSafe else { throw .unsafeText(part) }
    // RFC 7515 §4 and RFC 7519 §4: names are unique, or the token is refused.
    guard !root.repeatsMembers else { throw .repeatedMember(part) }
    return root
  }

  /// RFC 8725 §3.1 and §3.2: only algorithms that the configuration names, so never `none`.
  private func algorithm(_ header: JSONElement) throws(TokenFault) -> JWTSettings.Algorithm {
    guard let name = header["alg"]?.name, let algorithm = JWTSettings.Algorithm(name: name),
      algorithms.contains(algorithm)
    else { throw .algorithm }
    return algorithm
  }

  private func checkExtensions(_ header: JSONElement) throws(TokenFault) {
    // RFC 7515 §4.1.11: a critical extension has to be understood, and none is understood here.
    guard header["crit"] == nil else { throw .critical }
    // RFC 7519 §5.2: the payload is another token.
    if let content = header["cty"], content.name.map(Self.type) == "jwt" { throw .nested }
  }

  /// RFC 8725 §3.11: explicit types keep a token of one kind from being used as another one.
  private func checkType(_ header: JSONElement) throws(TokenFault) {
    guard let element = header["typ"] else {
      guard types.contains("jwt") else { throw .type }
      return
    }
    guard let type = element.name, types.contains(Self.type(type)) else { throw .type }
  }

  /// RFC 7515 §4.1.9: a media type without regard to case, whose `application/` may be left out.
  private static func type(_ text: String) -> ExactString {
    let type = text.lowercased()
    let prefix = "application/"
    guard type.utf8.starts(with: prefix.utf8) else { return ExactString(type) }
    let rest = type.utf8.dropFirst(prefix.utf8.count)
    return ExactString(rest.contains(UInt8(ascii: "/")) ? type : String(Substring(rest)))
  }

  private func keyName(_ header: JSONElement) throws(TokenFault) -> String? {
    guard let element = header["kid"] else { return nil }
    // RFC 7515 §4.1.4: a string. RFC 8725 §3.10: untrusted input, which is only compared.
    guard let name = element.string, name.utf8.count <= Self.keyNameLimit else { throw .keyName }
    return name
  }
}
