import ArgumentParser
import Configuration
import Logging
import RibAuth
import RibServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the daemon authenticates its clients: the `auth.…` settings besides those of ``ServerSettings``.
///
/// Only the daemon has these settings: a program with a server of its own makes the authenticator itself.
struct AuthSettings {
  private static let defaults = JWTSettings(issuer: "", audience: "")

  /// The settings, in the order of the help.
  static let all: [Setting] = [
    Setting(
      "auth.mode", .program("none|jwt", preset: "none"),
      "Whether clients say who they are, by JSON Web Tokens; none lets anyone in, as nobody in particular."),
    Setting(
      "auth.required", .program("true|false", preset: "\(defaults.required)"),
      "Whether nobody may come in without a token, also to apps that are for anyone."),
    Setting("auth.issuer", .program("issuer", preset: ""), "The issuer of the tokens: exactly their iss."),
    Setting("auth.audience", .program("name", preset: ""), "The audience of the tokens: this server, in their aud."),
    Setting(
      "auth.keysURL", .program("url|discover", preset: ""),
      "Where the issuer publishes its keys; discover looks into its openid-configuration."),
    Setting("auth.keysFile", .program("file", preset: ""), "The same keys as a file, a JSON Web Key Set."),
    Setting(
      "auth.secretFile", .program("file", preset: ""), "A file with the secret that tokens are signed with (HS256)."),
    Setting(
      "auth.previousSecretFile", .program("file", preset: ""), "A file with the secret that was in use before."),
    Setting(
      "auth.previousSecretUntil", .program("date", preset: ""),
      "Until when the previous secret is accepted, as 2027-01-31T00:00:00Z."),
    Setting(
      "auth.caFile", .program("file", preset: ""),
      "Certificates that the server at keysURL is known by, if they are not among the system's."),
    Setting(
      "auth.algorithms", .program("algorithms", preset: defaults.algorithms.map(\.rawValue).joined(separator: ", ")),
      "How tokens may be signed, with commas between; HS256 with a secretFile alone."),
    Setting(
      "auth.types", .program("types", preset: defaults.types.joined(separator: ", ")),
      "What a token's typ may be, with commas between."),
    Setting(
      "auth.claims", .program("claims", preset: ""), "The claims that apps may see, with commas between."),
    Setting(
      "auth.rolesClaim", .program("claim", preset: defaults.rolesClaim),
      "The claim with the roles; with dots the way to it."),
    number("leewaySeconds", defaults.leewaySeconds, "Seconds that the issuer's clock and this one may be apart."),
    number("maxLifetimeSeconds", defaults.maxLifetimeSeconds, "Seconds that a token is accepted for at most."),
    number(
      "keysRefreshSeconds", defaults.keysRefreshSeconds, "Seconds after which the keys of a URL are fetched anew."),
    number(
      "keysCooldownSeconds", defaults.keysCooldownSeconds,
      "Seconds between two fetches for the sake of a key that is not there."),
    number(
      "keysMaxStaleSeconds", defaults.keysMaxStaleSeconds, "Seconds that keys are used which cannot be fetched anew."),
    number("keysTimeoutSeconds", defaults.keysTimeoutSeconds, "Seconds that a fetch may take."),
  ]

  private static func number(_ name: String, _ preset: Int, _ summary: String) -> Setting {
    Setting("auth.\(name)", .program("number", preset: "\(preset)"), summary)
  }

  private let config: ConfigReader

  /// The settings of a configuration.
  init(_ config: ConfigReader) { self.config = config }

  /// Makes an authenticator.
  ///
  /// - Parameters:
  ///   - settings: what ``read()`` has found.
  ///   - logger: logs new keys, and keys that cannot be loaded.
  /// - Returns: the authenticator.
  /// - Throws: `ValidationError` for settings that contradict each other, or a file that cannot be used.
  static func makeAuthenticator(_ settings: JWTSettings, _ logger: Logger) throws -> JWTAuthenticator {
    do {
      return try JWTAuthenticator(settings, logger: logger)
    } catch {
      throw ValidationError("The settings of auth do not fit together. \(error)")
    }
  }

  /// Reads which tokens are accepted.
  ///
  /// - Returns: the settings; nil if `auth.mode` is `none`.
  /// - Throws: `ValidationError` for a value that a setting cannot have.
  func read() async throws -> JWTSettings? {
    switch await text("mode") ?? "none" {
    case "none":
      for setting in Self.all where setting.key != "auth.mode" {
        guard await text(String(setting.key.dropFirst("auth.".count))) == nil else {
          throw ValidationError("\(setting.key) is set, and auth.mode is none: set auth.mode to jwt.")
        }
      }
      return nil
    case "jwt": break
    case let mode: throw ValidationError("There is no auth.mode \"\(mode)\". There is: none, jwt.")
    }
    return try await makeSettings()
  }

  private func makeSettings() async throws -> JWTSettings {
    var settings = JWTSettings(issuer: await text("issuer") ?? "", audience: await text("audience") ?? "")
    settings.keysURL = await text("keysURL") ?? ""
    settings.keysFile = await text("keysFile") ?? ""
    settings.secretFile = await text("secretFile") ?? ""
    settings.previousSecretFile = await text("previousSecretFile") ?? ""
    settings.caFile = await text("caFile") ?? ""
    settings.rolesClaim = await text("rolesClaim") ?? settings.rolesClaim
    settings.types = await list("types") ?? settings.types
    settings.claims = await list("claims") ?? settings.claims
    settings.algorithms =
      try await value("algorithms", "names of RFC 7518 with commas between") { text in
        let names = Self.list(text)
        let known = names.compactMap(JWTSettings.Algorithm.init(rawValue:))
        return known.count == names.count ? known : nil
      } ?? (settings.secretFile.isEmpty ? settings.algorithms : [.hs256])
    settings.previousSecretUntil = try await value("previousSecretUntil", "a date such as 2027-01-31T00:00:00Z") {
      try? Date($0, strategy: .iso8601)
    }
    settings.required =
      try await value("required", "true or false") {
        // A Boolean of a JSON file may be read as a number.
        ["true": true, "1": true, "false": false, "0": false][$0]
      } ?? settings.required
    try await read("leewaySeconds", into: &settings.leewaySeconds)
    try await read("maxLifetimeSeconds", into: &settings.maxLifetimeSeconds)
    try await read("keysRefreshSeconds", into: &settings.keysRefreshSeconds)
    try await read("keysCooldownSeconds", into: &settings.keysCooldownSeconds)
    try await read("keysMaxStaleSeconds", into: &settings.keysMaxStaleSeconds)
    try await read("keysTimeoutSeconds", into: &settings.keysTimeoutSeconds)
    return settings
  }

  // MARK: Reading

  private func read(_ name: String, into number: inout Int) async throws {
    if let new = try await value(name, "a whole number", { Int($0) }) { number = new }
  }

  private func value<Value>(_ name: String, _ wanted: String, _ read: (String) -> Value?) async throws -> Value? {
    guard let text = await text(name) else { return nil }
    if let value = read(text) { return value }
    throw ValidationError("The setting \"auth.\(name)\" is \"\(text)\"; it must be \(wanted).")
  }

  private func list(_ name: String) async -> [String]? { await text(name).map(Self.list) }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
  }

  private func text(_ name: String) async -> String? { await config.text("auth.\(name)") }
}

extension ConfigReader {
  /// A setting as text, also if the file has a number, a list or a Boolean; nil if the setting is missing or empty.
  ///
  /// - Parameter name: the setting's name.
  /// - Returns: the text.
  func text(_ name: String) async -> String? {
    let key = ConfigKey(name)
    if let text = try? await fetchString(forKey: key) { return text.isEmpty ? nil : text }
    if let texts = try? await fetchStringArray(forKey: key) { return texts.joined(separator: ",") }
    if let number = try? await fetchInt(forKey: key) { return "\(number)" }
    return (try? await fetchBool(forKey: key)).map { "\($0)" }
  }
}
