extension JWTSettings {
  /// Checks the values of the settings, and whether they fit together; reads no file.
  ///
  /// - Returns: where the keys come from.
  /// - Throws: ``JWTSettingsError`` for the first setting that is wrong.
  func check() throws(JWTSettingsError) -> KeyLocation {
    if issuer.isEmpty { throw .missing("issuer") }
    if audience.isEmpty { throw .missing("audience") }
    if types.isEmpty { throw .missing("types") }
    try check("leewaySeconds", leewaySeconds, 0...600)
    try check("maxLifetimeSeconds", maxLifetimeSeconds, 1...Int(UInt32.max))
    try check("keysRefreshSeconds", keysRefreshSeconds, 60...Int(UInt32.max))
    try check("keysCooldownSeconds", keysCooldownSeconds, 1...3600)
    try check("keysMaxStaleSeconds", keysMaxStaleSeconds, 0...Int(UInt32.max))
    try check("keysTimeoutSeconds", keysTimeoutSeconds, 1...60)
    let location = try location
    guard algorithms == [.hs256] || (!algorithms.isEmpty && !algorithms.contains(.hs256)),
      (algorithms == [.hs256]) == (location == .secret)
    else { throw .algorithms }
    guard previousSecretFile.isEmpty || previousSecretUntil != nil else { throw .previousSecretWithoutEnd }
    return location
  }

  private func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(JWTSettingsError) {
    guard range.contains(value) else { throw .outOfRange(name, range) }
  }

  private var location: KeyLocation {
    get throws(JWTSettingsError) {
      let count = [keysURL, keysFile, secretFile].count { !$0.isEmpty }
      guard count == 1 else { throw .keySources(count) }
      if !secretFile.isEmpty { return .secret }
      if !keysFile.isEmpty { return .file(keysFile) }
      guard keysURL != "discover" else {
        // OpenID Connect Discovery 1.0 §4.1: a slash at the end of the issuer is removed before the path is added.
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return .discovery(try url(base + "/.well-known/openid-configuration"), issuer: issuer)
      }
      return .url(try url(keysURL))
    }
  }

  private func url(_ text: String) throws(JWTSettingsError) -> KeyURL {
    guard let url = KeyURL(text) else { throw .insecureURL(text) }
    return url
  }
}

/// Where the keys come from.
enum KeyLocation: Equatable, Sendable {
  /// A secret that the issuer and the server share.
  case secret
  /// A file with a key set.
  case file(String)
  /// The URL of a key set.
  case url(KeyURL)
  /// The URL of the issuer's configuration document (OpenID Connect Discovery 1.0 §4), which names the URL of the key set.
  case discovery(KeyURL, issuer: String)
}
