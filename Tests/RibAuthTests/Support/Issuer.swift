import RibTestSupport
import Wire

/// The issuer of the tests' tokens.
final class Issuer: Sendable {
  typealias Failure = IssuerProcess.Failure

  /// Who it is, in the tokens' `iss`.
  static let name = "https://issuer.example.com/"
  /// Who the tokens are for.
  static let audience = "ribserver"

  /// One for all tests: its keys take a while to make.
  static let shared = Result { try Issuer() }

  private let process: IssuerProcess
  /// Where it serves: `http://127.0.0.1:…`.
  let http: String
  /// The same with TLS.
  let https: String
  /// The file with the certificate of the latter.
  let certificate: String

  private init() throws {
    process = try IssuerProcess()
    let addresses = try JSONValue(parsing: process.greeting)
    http = addresses["http"]?.string ?? ""
    https = addresses["https"]?.string ?? ""
    certificate = addresses["certificate"]?.string ?? ""
  }

  // MARK: Tokens

  /// Claims that are right, with some changes; `null` takes one away.
  static func claims(_ changes: JSONValue = [:]) -> JSONValue {
    let claims: JSONValue = [
      "iss": .string(name), "aud": .string(audience), "sub": "ada", "iat": .integer(Int64(ManualClock.start)),
      "exp": .integer(Int64(ManualClock.start + 600)),
    ]
    return claims.with(changes)
  }

  /// A token as joserfc makes it.
  func token(
    _ claims: JSONValue = claims(), key: String, alg: String, kid: String? = nil, header: JSONValue = [:]
  ) async throws -> String {
    let named = kid.map { header.with(["kid": .string($0)]) } ?? header
    return try await ask([
      "do": "token", "key": .string(key), "alg": .string(alg), "header": named, "claims": claims,
    ]).text("token")
  }

  /// A token of texts that need not be JSON, with a signature of joserfc's that is right.
  func signed(
    header: String, payload: String = claims().text, key: String, alg: String, secretIsPublicKey: Bool = false
  ) async throws -> String {
    try await ask([
      "do": "signed", "key": .string(key), "alg": .string(alg), "header": .string(header),
      "payload": .string(payload), "secretOf": .bool(secretIsPublicKey),
    ]).text("token")
  }

  // MARK: Keys

  /// A public key, as joserfc writes it, with some changes; `null` takes a member away.
  func key(_ name: String, _ members: JSONValue = [:], isPrivate: Bool = false) async throws -> JSONValue {
    try await ask(["do": "public", "key": .string(name), "members": members, "private": .bool(isPrivate)])
  }

  /// The text of a set with these keys.
  func set(_ keys: [JSONValue]) -> String { JSONValue.object(["keys": .array(keys)]).text }

  /// A set with one key, `kid` and `alg` as given.
  func set(_ name: String, kid: String, alg: String? = nil) async throws -> String {
    set([try await key(name, ["kid": .string(kid), "use": "sig", "alg": alg.map { .string($0) } ?? nil])])
  }

  /// The bytes of a secret.
  func secret(_ name: String) async throws -> String {
    try await ask(["do": "secret", "key": .string(name)]).text("secret")
  }

  // MARK: Serving

  /// Serves something from now on.
  ///
  /// - Parameters:
  ///   - body: what.
  ///   - path: where; each test has paths of its own.
  ///   - status: the answer's.
  ///   - headers: more of its fields.
  ///   - fill: blanks behind the body.
  ///   - holds: whether nothing is answered before ``release(_:)``.
  /// - Throws: ``Failure``.
  func serve(
    _ body: String, at path: String, status: Int = 200, headers: JSONValue = [:], fill: Int = 0, holds: Bool = false
  ) async throws {
    _ = try await ask([
      "do": "serve", "path": .string(path), "status": .integer(Int64(status)), "body": .string(body),
      "headers": headers, "fill": .integer(Int64(fill)), "holds": .bool(holds),
    ])
  }

  /// Answers those who were held at a path.
  func release(_ path: String) async throws { _ = try await ask(["do": "release", "path": .string(path)]) }

  /// How often a path was asked for.
  func count(_ path: String) async throws -> Int {
    try await ask(["do": "count", "path": .string(path)])["count"]?.integer ?? -1
  }

  // MARK: Commands

  /// Has a command done, on a thread that may wait.
  private func ask(_ command: JSONValue) async throws -> JSONValue {
    try await withCheckedThrowingContinuation { continuation in
      BlockingThread.start { [self] in
        continuation.resume(
          with: Result {
            let answer = try JSONValue(parsing: try process.ask(command.text))
            if let error = answer["error"]?.string { throw Failure(reason: error) }
            return answer
          })
      }
    }
  }
}

extension JSONValue {
  fileprivate func text(_ name: String) throws -> String {
    guard let text = self[name]?.string else { throw Issuer.Failure(reason: "no \(name) in \(self.text)") }
    return text
  }
}
