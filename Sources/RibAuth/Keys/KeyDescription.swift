import JWTKit
import Wire

/// A public key as a JSON Web Key Set describes it (RFC 7517 §4); members of private keys are ignored.
struct KeyDescription: Sendable {
  /// The least size of an RSA key, in bits (RFC 7518 §3.3).
  private static let leastBits = 2048

  /// The key's `kid`; nil if it has none.
  let name: String?
  /// The one algorithm that the key is used with.
  let algorithm: JWTSettings.Algorithm
  /// The key itself, for jwt-kit.
  let key: JWK

  /// Reads a key.
  ///
  /// - Parameters:
  ///   - element: an element of the key set's `keys`.
  ///   - algorithms: the accepted ones; a key without `alg` gets the first that fits the key.
  /// - Throws: ``SkippedKey``, if tokens cannot be checked with it.
  init(_ element: JSONElement, for algorithms: [JWTSettings.Algorithm]) throws(SkippedKey) {
    let name = element["kid"]?.string
    do throws(Fault) {
      self = try Self.read(element, name, algorithms)
    } catch {
      throw SkippedKey(
        name: name.map { String($0.unicodeScalars.prefix(TokenGate.keyNameLimit)) }, reason: error.reason)
    }
  }

  private init(name: String?, algorithm: JWTSettings.Algorithm, key: JWK) {
    self.name = name
    self.algorithm = algorithm
    self.key = key
  }

  /// A reason, to be thrown.
  private struct Fault: Error { let reason: SkippedKey.Reason }

  private static func read(
    _ element: JSONElement, _ name: String?, _ algorithms: [JWTSettings.Algorithm]
  ) throws(Fault) -> KeyDescription {
    guard element.kind == .object else { throw Fault(reason: .notAnObject) }
    guard !element.repeatsMembers else { throw Fault(reason: .repeatedMember) }
    try checkUse(of: element)
    if let name, name.utf8.count > TokenGate.keyNameLimit { throw Fault(reason: .longName) }
    guard let fitting = Self.fitting(element) else { throw Fault(reason: .keyType) }
    let algorithm = try algorithm(of: element, fitting: fitting, algorithms)
    return KeyDescription(name: name, algorithm: algorithm, key: try key(of: element, name, algorithm))
  }

  /// RFC 7517 §4.2 and §4.3: `use` and `key_ops`, if they are there, have to name signatures.
  private static func checkUse(of element: JSONElement) throws(Fault) {
    if let use = element["use"], !use.isString("sig") { throw Fault(reason: .notForSignatures) }
    if let operations = element["key_ops"], !operations.elements.contains(where: { $0.isString("verify") }) {
      throw Fault(reason: .notForSignatures)
    }
  }

  /// The algorithms that a key can be used with by its type (RFC 7518 §6.1, RFC 8037 §2); nil for an unknown type, and for a secret.
  private static func fitting(_ element: JSONElement) -> [JWTSettings.Algorithm]? {
    switch (element["kty"]?.name, element["crv"]?.name) {
    case ("RSA", nil): [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
    case ("EC", "P-256"): [.es256]
    case ("EC", "P-384"): [.es384]
    case ("EC", "P-521"): [.es512]
    case ("OKP", "Ed25519"): [.edDSA]
    default: nil
    }
  }

  /// RFC 7517 §4.4: the key's `alg`; for keys without one, such as Entra's, the first configured algorithm that fits.
  private static func algorithm(
    of element: JSONElement, fitting: [JWTSettings.Algorithm], _ algorithms: [JWTSettings.Algorithm]
  ) throws(Fault) -> JWTSettings.Algorithm {
    guard let named = element["alg"] else {
      guard let first = algorithms.first(where: fitting.contains) else { throw Fault(reason: .noAlgorithm) }
      return first
    }
    guard let algorithm = named.name.flatMap(JWTSettings.Algorithm.init(name:)), fitting.contains(algorithm),
      algorithms.contains(algorithm)
    else { throw Fault(reason: .algorithm) }
    return algorithm
  }

  private static func key(
    of element: JSONElement, _ name: String?, _ algorithm: JWTSettings.Algorithm
  ) throws(Fault) -> JWK {
    // jwt-kit's collections hold no key without a name; this name is never looked up.
    let identifier = JWKIdentifier(string: name ?? "only")
    let kind = JWK.Algorithm(rawValue: algorithm.rawValue)
    switch algorithm {
    case .hs256: throw Fault(reason: .keyType)
    case .edDSA:
      return .octetKeyPair(kind, identifier: identifier, x: try text("x", of: element), y: nil, curve: .ed25519)
    case .es256, .es384, .es512:
      let curve = element["crv"]?.name.flatMap(ECDSACurve.init(rawValue:))
      return .ecdsa(
        kind, identifier: identifier, x: try text("x", of: element), y: try text("y", of: element), curve: curve)
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
      let modulus = try text("n", of: element)
      guard bits(of: modulus) >= leastBits else { throw Fault(reason: .tooShort) }
      return .rsa(kind, identifier: identifier, modulus: modulus, exponent: try text("e", of: element))
    }
  }

  /// A number of a key, in base64url.
  private static func text(_ name: String, of element: JSONElement) throws(Fault) -> String {
    guard let text = element[name]?.string, Base64URL.decode(text.utf8)?.isEmpty == false else {
      throw Fault(reason: .malformed)
    }
    return text
  }

  private static func bits(of modulus: String) -> Int {
    let bytes = (Base64URL.decode(modulus.utf8) ?? []).drop { $0 == 0 }
    return bytes.count * 8 - (bytes.first?.leadingZeroBitCount ?? 0)
  }
}
