import RibAuth
import RibCore
import RibServer
import RibTestSupport

extension JWTSettings {
  /// Settings for the issuer of the tests, with some changes.
  static func tests(_ change: (inout JWTSettings) -> Void = { _ in }) -> JWTSettings {
    var settings = JWTSettings(issuer: Issuer.name, audience: Issuer.audience)
    change(&settings)
    return settings
  }
}

extension JWTAuthenticator {
  /// An authenticator with the keys of a set.
  ///
  /// - Parameters:
  ///   - set: the text of the set.
  ///   - folder: where its file is.
  ///   - clock: the time.
  ///   - log: what it says.
  ///   - change: other settings.
  /// - Throws: ``JWTSettingsError``, and what the system says of the file.
  init(
    set: String, in folder: ScratchFolder, clock: ManualClock = ManualClock(), log: CollectedLog = CollectedLog(),
    _ change: (inout JWTSettings) -> Void = { _ in }
  ) throws {
    let file = try folder.write(set, to: "keys.json")
    let settings = JWTSettings.tests {
      $0.keysFile = file
      change(&$0)
    }
    try self.init(settings, logger: log.logger, environment: clock.environment)
  }

  /// An authenticator with the keys of a URL.
  ///
  /// - Parameters:
  ///   - url: where they are.
  ///   - clock: the time.
  ///   - log: what it says.
  ///   - change: other settings.
  /// - Throws: ``JWTSettingsError``.
  init(
    url: String, clock: ManualClock = ManualClock(), log: CollectedLog = CollectedLog(),
    _ change: (inout JWTSettings) -> Void = { _ in }
  ) throws {
    let settings = JWTSettings.tests {
      $0.keysURL = url
      // However busy the machine is: a test that is about it has less.
      $0.keysTimeoutSeconds = 60
      change(&$0)
    }
    try self.init(settings, logger: log.logger, environment: clock.environment)
  }

  /// Who a token is of.
  @discardableResult
  func identity(_ token: String) async throws(AuthenticationError) -> Identity? {
    try await authenticate(AuthenticationRequest(.begin(app: "a"), credential: .bearer(token)))
  }

  /// Why a token is refused; nil if it is not.
  func refusal(_ token: String) async -> AuthenticationError? {
    do throws(AuthenticationError) {
      try await identity(token)
      return nil
    } catch {
      return error
    }
  }
}
