public import Logging
public import RibCore
public import RibServer

/// Authenticates clients by JSON Web Tokens (RFC 7519) of an issuer that the server trusts.
///
///     var tokens = JWTSettings(issuer: "https://id.example.com/realms/app", audience: "ribserver")
///     tokens.keysURL = "discover"
///     tokens.rolesClaim = "realm_access.roles"
///     let authenticator = try JWTAuthenticator(tokens, logger: logger)
///
/// Which tokens are accepted, and which are refused, is in <doc:RibAuth>. A token is checked here, and neither kept nor logged.
public struct JWTAuthenticator: SessionAuthenticator {
  /// The keys that signatures are checked with.
  private enum Keys: Sendable {
    case secret(SharedSecret)
    case published(KeySource)
  }

  /// Seconds after which a key file is read again.
  private static let fileSeconds = 10

  private let settings: JWTSettings
  private let gate: TokenGate
  private let claims: ClaimCheck
  private let keys: Keys
  private let wall: @Sendable () -> Int

  /// An authenticator.
  ///
  /// The files with keys and secrets are read now, and have to exist; a URL is fetched with the first token, or by ``prepare()``.
  ///
  /// - Parameters:
  ///   - settings: the tokens that are accepted.
  ///   - logger: logs new keys, and keys that cannot be loaded.
  /// - Throws: ``JWTSettingsError`` for settings that contradict each other, or a file that cannot be used.
  public init(_ settings: JWTSettings, logger: Logger) throws(JWTSettingsError) {
    try self.init(settings, logger: logger, environment: .system)
  }

  /// An authenticator with the clocks and queues of an environment, such as a test's.
  ///
  /// - Parameters:
  ///   - settings: the tokens that are accepted.
  ///   - logger: logs new keys, and keys that cannot be loaded.
  ///   - environment: the clocks, and the queue that keys are loaded on.
  /// - Throws: ``JWTSettingsError`` for settings that contradict each other, or a file that cannot be used.
  package init(_ settings: JWTSettings, logger: Logger, environment: Environment) throws(JWTSettingsError) {
    let location = try settings.check()
    self.settings = settings
    gate = TokenGate(settings)
    claims = ClaimCheck(settings)
    wall = environment.time.wall
    let download = KeyDownload(keysTimeoutSeconds: settings.keysTimeoutSeconds, caFile: settings.caFile)
    let loader: KeyLoader
    switch location {
    case .secret:
      keys = .secret(try SharedSecret(settings))
      return
    case .file(let path):
      loader = .file(path, wall: wall)
      try Self.check(loader, settings.algorithms)
    case .url(let url): loader = .url(url, download, wall: wall)
    case .discovery(let url, let issuer): loader = .discovery(url, issuer: issuer, download, wall: wall)
    }
    let pauses = Self.pauses(settings)
    keys = .published(KeySource(loader, pauses, for: settings.algorithms, environment, logger))
  }

  private static func pauses(_ settings: JWTSettings) -> RefreshPlan.Pauses {
    guard settings.keysFile.isEmpty else {
      return .init(refresh: fileSeconds, cooldown: fileSeconds, maxStale: settings.keysMaxStaleSeconds)
    }
    return .init(
      refresh: settings.keysRefreshSeconds, cooldown: settings.keysCooldownSeconds,
      maxStale: settings.keysMaxStaleSeconds)
  }

  /// Reads a key file once: one without usable keys is a mistake in the configuration, and the server does not start with it.
  private static func check(
    _ file: KeyLoader, _ algorithms: [JWTSettings.Algorithm]
  ) throws(JWTSettingsError) {
    do throws(KeyError) {
      let (keys, skipped) = try KeySet.read(try file.load().bytes, for: algorithms)
      if keys.isEmpty { throw .noUsableKey(skipped) }
    } catch {
      throw .unusableFile(file.name, error.description)
    }
  }

  /// Loads the keys before the first client needs them.
  ///
  /// If they cannot be loaded, the log says why, and the next token that needs them leads to another attempt.
  public func prepare() async {
    if case .published(let source) = keys { await source.loadIfDue(isMissing: false) }
  }

  /// The keys that tokens are checked with, for operators.
  package var keyReport: SignInReport {
    var report = SignInReport()
    guard case .published(let source) = keys else { return report }
    let (set, loaded) = source.present
    report.keysLoaded = loaded
    report.keys = set?.descriptions.map { .init(id: $0.name, algorithm: $0.algorithm.rawValue) } ?? []
    report.skippedKeys =
      set?.skipped.enumerated().map { place, key in
        .init(id: key.name ?? "number \(place + 1)", reason: key.reason.rawValue)
      } ?? []
    return report
  }

  /// Loads the issuer's keys, whether that is due or not.
  ///
  /// - Returns: whether there are fresh keys afterwards; true for a secret, which is not loaded again.
  package func refetchKeys() async -> Bool {
    if case .published(let source) = keys { await source.loadNow() } else { true }
  }

  /// Whether there are keys, or a secret, to check tokens with.
  public var hasKeys: Bool {
    switch keys {
    case .secret: true
    case .published(let source): source.hasKeys
    }
  }

  /// Whether the settings let nobody in without a token.
  public var requiresCredential: Bool { settings.required }

  /// Checks a client's token, and makes an identity of its claims.
  ///
  /// - Parameter request: what is known of the client.
  /// - Returns: the identity; nil without a credential, if none is required.
  /// - Throws: `AuthenticationError`.
  public func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity? {
    guard let credential = request.credential else {
      if settings.required { throw .missing }
      return nil
    }
    do throws(KeySource.Failure) {
      return try await identity(of: credential.secret)
    } catch {
      switch error {
      case .token(let fault): throw fault.error
      case .unavailable: throw .unavailable("The issuer's keys cannot be had at present.")
      }
    }
  }

  private func identity(of text: String) async throws(KeySource.Failure) -> Identity {
    let token = try onToken { () throws(TokenFault) in
      let token = try gate.read(text)
      try claims.checkIssuer(of: token.payload)
      return token
    }
    try await checkSignature(of: token)
    return try onToken { () throws(TokenFault) in try claims.identity(of: token.payload, at: wall()) }
  }

  private func checkSignature(of token: UnverifiedToken) async throws(KeySource.Failure) {
    let isRight: Bool
    switch keys {
    case .secret(let secret):
      isRight = secret.verifies(token.signature, of: token.signedBytes, at: wall())
    case .published(let source):
      let key = try await source.key(named: token.keyName)
      // RFC 8725 §3.1: each key is used with exactly one algorithm.
      guard key.algorithm == token.algorithm else { throw .token(.otherAlgorithmThanKey) }
      isRight = key.verifies(token.signature, of: token.signedBytes)
    }
    guard isRight else { throw .token(.badSignature) }
  }

  private func onToken<Value>(_ body: () throws(TokenFault) -> Value) throws(KeySource.Failure) -> Value {
    do throws(TokenFault) {
      return try body()
    } catch {
      throw .token(error)
    }
  }
}
