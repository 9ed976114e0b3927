import Wire

/// An issuer's public keys: the usable ones of a JSON Web Key Set (RFC 7517 §5).
///
/// The set is read key by key. A key that cannot be used is skipped and listed in ``skipped``: a library that decodes the set as a whole
/// refuses all of it for a single key that it does not know.
struct KeySet: Sendable {
  /// The most bytes that a set may have; Entra's has 20 KiB.
  static let byteLimit = 1 << 20
  /// The most keys that a set may have.
  static let keyLimit = 1000
  private static let limits = JSONLimits(depth: 16, bytes: byteLimit, takesHalfPairs: false)

  /// The result of looking up a token's key.
  enum Lookup: Sendable {
    /// The key that the token names.
    case key(VerificationKey)
    /// The token names a key that the set does not have.
    case unknown
    /// The token names no key, and the set has several.
    case notNamed
  }

  private let named: [ExactString: VerificationKey]
  private let only: VerificationKey?
  /// The keys that are not used.
  let skipped: [SkippedKey]
  /// How many keys are used.
  let count: Int

  /// The keys that are used, by their names; a key without a name is the only one.
  var descriptions: [(name: String, algorithm: JWTSettings.Algorithm)] {
    if named.isEmpty, let only { return [("-", only.algorithm)] }
    return named.map { ($0.key.string, $0.value.algorithm) }.sorted { $0.name < $1.name }
  }

  /// Reads a set.
  ///
  /// - Parameters:
  ///   - bytes: the set in JSON.
  ///   - algorithms: the accepted ones.
  /// - Throws: ``KeyError`` if the text is no key set, or has no usable key: such a set would refuse every token, which nobody intends.
  init(_ bytes: [UInt8], for algorithms: [JWTSettings.Algorithm]) async throws(KeyError) {
    let (descriptions, faulty) = try Self.read(bytes, for: algorithms)
    var keys: [(name: String?, key: VerificationKey)] = []
    var skipped = faulty
    for description in descriptions {
      guard let key = try? await VerificationKey(description.key, description.algorithm) else {
        skipped.append(SkippedKey(name: description.name, reason: .malformed))
        continue
      }
      keys.append((description.name, key))
    }
    guard !keys.isEmpty else { throw .noUsableKey(skipped) }
    only = keys.count == 1 ? keys[0].key : nil
    var named: [ExactString: VerificationKey] = [:]
    for (name, key) in keys {
      if let name, named[name] == nil {
        named[name] = key
      } else if name != nil || keys.count > 1 {
        skipped.append(SkippedKey(name: name, reason: name == nil ? .nameless : .repeatedName))
      }
    }
    guard only != nil || !named.isEmpty else { throw .noUsableKey(skipped) }
    self.named = named
    self.skipped = skipped
    count = max(named.count, 1)
  }

  /// Reads the descriptions of a set's keys, before cryptographic keys are made of them.
  ///
  /// - Parameters:
  ///   - bytes: the set in JSON.
  ///   - algorithms: the accepted ones.
  /// - Returns: the keys that may be used, and those that are skipped.
  /// - Throws: ``KeyError`` if the text is no key set.
  static func read(
    _ bytes: [UInt8], for algorithms: [JWTSettings.Algorithm]
  ) throws(KeyError) -> (keys: [KeyDescription], skipped: [SkippedKey]) {
    guard bytes.count <= byteLimit else { throw .tooLong }
    let elements = try root(bytes)["keys"]
    guard let elements, elements.kind == .array else { throw .notAKeySet }
    guard elements.count <= keyLimit else { throw .tooManyKeys(elements.count) }
    var keys: [KeyDescription] = []
    var skipped: [SkippedKey] = []
    for element in elements.elements {
      do throws(SkippedKey) {
        keys.append(try KeyDescription(element, for: algorithms))
      } catch {
        skipped.append(error)
      }
    }
    return (keys, skipped)
  }

  /// The JSON value of a key set, or of an issuer's configuration document.
  ///
  /// - Parameter bytes: the text.
  /// - Returns: the value.
  /// - Throws: ``KeyError/notJSON(_:)``.
  static func root(_ bytes: [UInt8]) throws(KeyError) -> JSONElement {
    var reader = JSONReader(limits: limits)
    do throws(JSONError) {
      return try reader.read(bytes.span).root
    } catch {
      throw .notJSON(error)
    }
  }

  /// The key for a token.
  ///
  /// - Parameter name: the token's `kid`; nil if it has none.
  /// - Returns: for a name the key of that name alone; for nil the set's only key.
  func find(_ name: String?) -> Lookup {
    guard let name else { return only.map(Lookup.key) ?? .notNamed }
    return named[name].map(Lookup.key) ?? .unknown
  }
}
