// A server whose clients show JSON Web Tokens: what three issuers want, and a secret.
import Foundation
import Logging
import RibAuth

let logger = Logger(label: "app")

func keycloak() -> JWTSettings {
  var tokens = JWTSettings(issuer: "https://id.example.com/realms/app", audience: "ribserver")
  tokens.keysURL = "discover"
  tokens.rolesClaim = "realm_access.roles"
  tokens.claims = ["preferred_username"]
  return tokens
}

func auth0() -> JWTSettings {
  var tokens = JWTSettings(issuer: "https://app.eu.auth0.com/", audience: "https://api.example.com")
  tokens.keysURL = "discover"
  tokens.algorithms = [.rs256]
  tokens.rolesClaim = "https://app.example.com/roles"
  return tokens
}

func entra() -> JWTSettings {
  let tenant = "3aa4a235-b6e2-48d5-9195-7fcf05b459b0"
  var tokens = JWTSettings(
    issuer: "https://login.microsoftonline.com/\(tenant)/v2.0", audience: "00001111-aaaa-2222-bbbb-3333cccc4444")
  tokens.keysURL = "discover"
  tokens.algorithms = [.rs256]
  return tokens
}

func sharedSecret() -> JWTSettings {
  var tokens = JWTSettings(issuer: "app", audience: "ribserver")
  tokens.secretFile = "/run/secrets/tokens"
  tokens.previousSecretFile = "/run/secrets/tokens-before"
  tokens.previousSecretUntil = Date(timeIntervalSince1970: 1_800_000_000)
  tokens.algorithms = [.hs256]
  return tokens
}

func make() throws -> JWTAuthenticator {
  let authenticator = try JWTAuthenticator(keycloak(), logger: logger)
  Task { await authenticator.prepare() }
  return authenticator
}
