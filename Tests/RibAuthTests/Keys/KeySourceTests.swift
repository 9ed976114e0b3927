import Logging
import RibServer
import RibTestSupport
import Testing
import Wire

@testable import RibAuth

/// A real server for keys, in Python, with a clock that the test turns.
@Suite(.withIssuer, .timeLimit(.minutes(5))) struct KeySourceTests {
  private let issuer: Issuer
  private let clock = ManualClock()
  private let log = CollectedLog()

  init() throws { issuer = try Issuer.shared.get() }

  private func authenticator(
    _ path: String, _ change: (inout JWTSettings) -> Void = { _ in }
  ) throws -> JWTAuthenticator {
    try JWTAuthenticator(url: issuer.http + path, clock: clock, log: log, change)
  }

  private func token(_ key: String, kid: String) async throws -> String {
    let now = Int64(clock.environment.time.wall())
    let claims = Issuer.claims(["iat": .integer(now), "exp": .integer(now + 600)])
    return try await issuer.token(claims, key: key, alg: "RS256", kid: kid)
  }

  private static let noKeys = AuthenticationError.unavailable("The issuer's keys cannot be had at present.")
  private static let unknownKey = TokenFault.unknownKey.error

  @Test func keys_areFetchedOnce_andAnewWhenTheyAreStale() async throws {
    let path = "/once"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    for _ in 0..<20 { try await authenticator.identity(token("rsa-1", kid: "a")) }
    clock.advance(3599)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    #expect(try await issuer.count(path) == 1)
    clock.advance(1)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    #expect(try await issuer.count(path) == 2)
    #expect(log.all.count == 1, "the same keys are no news: \(log.texts)")
  }

  @Test func prepare_fetchesBeforeTheFirstToken() async throws {
    let path = "/prepared"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    await authenticator.prepare()
    #expect(try await issuer.count(path) == 1)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    await authenticator.prepare()
    #expect(try await issuer.count(path) == 1)
  }

  /// The clock of the wall is set, by the hour: keys do not age by it.
  @Test func jumpOfTheClock_fetchesNothing() async throws {
    let path = "/jump"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    for jump in [0, 864_000, -1_000_000] {
      clock.jump(jump)
      try await authenticator.identity(token("rsa-1", kid: "a"))
    }
    #expect(try await issuer.count(path) == 1)
  }

  @Test(arguments: [("max-age=300", 300), ("no-store", 60), ("max-age=86400", 3600)])
  func cacheControl_shortensTheRefresh(field: String, seconds: Int) async throws {
    let path = "/cache-\(seconds)"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path, headers: ["Cache-Control": .string(field)])
    let authenticator = try authenticator(path)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    clock.advance(seconds - 1)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    #expect(try await issuer.count(path) == 1)
    clock.advance(1)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    #expect(try await issuer.count(path) == 2)
  }

  // MARK: Rotation

  @Test func newKey_isFetched_whenATokenNamesIt() async throws {
    let path = "/rotation"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    let both = issuer.set([try await issuer.key("rsa-1", ["kid": "a"]), try await issuer.key("rsa-2", ["kid": "b"])])
    try await issuer.serve(both, at: path)
    #expect(await authenticator.refusal(try await token("rsa-2", kid: "b")) == Self.unknownKey, "within the cool-down")
    clock.advance(30)
    try await authenticator.identity(token("rsa-2", kid: "b"))
    try await authenticator.identity(token("rsa-1", kid: "a"))
    #expect(try await issuer.count(path) == 2)
    try await issuer.serve(issuer.set("rsa-2", kid: "b"), at: path)
    clock.advance(3600)
    #expect(await authenticator.refusal(try await token("rsa-1", kid: "a")) == Self.unknownKey, "it was taken back")
    try await authenticator.identity(token("rsa-2", kid: "b"))
  }

  @Test func nameUsedForAnotherKey_isTheNewKey_afterTheNextFetch() async throws {
    let path = "/reuse"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    try await issuer.serve(issuer.set("rsa-2", kid: "a"), at: path)
    clock.advance(3600)
    try await authenticator.identity(token("rsa-2", kid: "a"))
    #expect(await authenticator.refusal(try await token("rsa-1", kid: "a")) == TokenFault.badSignature.error)
  }

  @Test func stormOfUnknownKeys_isOneFetchACooldown() async throws {
    let path = "/storm"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    let parts = try await token("rsa-1", kid: "a").split(separator: ".")
    for round in 1...3 {
      await withTaskGroup { group in
        for number in 0..<1000 {
          group.addTask {
            let header = encode(.init(#"{"alg":"RS256","kid":"\#(round)-\#(number)"}"#.utf8))
            #expect(await authenticator.refusal("\(header).\(parts[1]).\(parts[2])") == Self.unknownKey)
          }
        }
      }
      #expect(try await issuer.count(path) == round)
      clock.advance(30)
    }
    try await authenticator.identity(token("rsa-1", kid: "a"))
    #expect(try await issuer.count(path) == 3)
  }

  /// What the gate refuses, and tokens of other issuers, cost the issuer nothing.
  @Test func refusedTokens_fetchNothing() async throws {
    let path = "/refused"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    let other = try await issuer.token(
      Issuer.claims(["iss": "https://other.example"]), key: "rsa-1", alg: "RS256", kid: "z")
    #expect(await authenticator.refusal(other) == TokenFault.issuer.error)
    #expect(await authenticator.refusal("a.b.c") != nil)
    #expect(try await issuer.count(path) == 0)
  }

  @Test func waiters_shareOneFetch_andOthersGoOn() async throws {
    let path = "/shared"
    let first = try await issuer.set("rsa-1", kid: "a")
    try await issuer.serve(first, at: path)
    let authenticator = try authenticator(path)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    clock.advance(30)
    let both = issuer.set([try await issuer.key("rsa-1", ["kid": "a"]), try await issuer.key("rsa-2", ["kid": "b"])])
    try await issuer.serve(both, at: path, holds: true)
    let (new, old) = (try await token("rsa-2", kid: "b"), try await token("rsa-1", kid: "a"))
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { try await authenticator.identity(new) } }
      #expect(try await eventually { try await issuer.count(path) == 2 })
      try await authenticator.identity(old)
      try await issuer.release(path)
      try await group.waitForAll()
    }
    #expect(try await issuer.count(path) == 2)
  }

  // MARK: Failures

  @Test func unreachableIssuer_isAskedWithBackOff() async throws {
    let path = "/down"
    try await issuer.serve("", at: path, status: 500)
    let authenticator = try authenticator(path)
    let token = try await token("rsa-1", kid: "a")
    for (seconds, count) in [(0, 1), (0, 1), (1, 2), (1, 2), (1, 3), (3, 3), (1, 4), (7, 4), (1, 5)] {
      clock.advance(seconds)
      #expect(await authenticator.refusal(token) == Self.noKeys)
      #expect(try await issuer.count(path) == count)
    }
    for line in log.all {
      #expect(line.level == .warning && line["reason"]?.contains("the status is 500") == true, "\(line)")
    }
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    clock.advance(16)
    try await authenticator.identity(self.token("rsa-1", kid: "a"))
  }

  /// A day without the issuer: those who sign in do not notice, until the keys are over.
  @Test func staleKeys_areGoodForADay() async throws {
    let path = "/stale"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    try await issuer.serve("", at: path, status: 503)
    clock.advance(3600)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    #expect(await authenticator.refusal(try await token("rsa-2", kid: "b")) == Self.unknownKey)
    clock.advance(86_400 - 3601)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    clock.advance(1)
    #expect(await authenticator.refusal(try await token("rsa-1", kid: "a")) == Self.noKeys)
    try await issuer.serve(issuer.set("rsa-2", kid: "b"), at: path)
    clock.advance(30)
    try await authenticator.identity(token("rsa-2", kid: "b"))
  }

  /// Nobody waits for the answer whose key is there.
  @Test func staleKeys_areUsedWhileTheIssuerHangs() async throws {
    let path = "/hangs-when-stale"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let authenticator = try authenticator(path)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    try await issuer.serve(issuer.set("rsa-2", kid: "b"), at: path, holds: true)
    clock.advance(3600)
    // The first one waits two seconds, and whoever comes then not at all.
    let token = try await token("rsa-1", kid: "a")
    let start = ContinuousClock.now
    for _ in 1...20 { try await authenticator.identity(token) }
    #expect(ContinuousClock.now - start < .seconds(20))
    try await issuer.release(path)
    try await authenticator.identity(self.token("rsa-2", kid: "b"))
    #expect(await authenticator.refusal(token) == Self.unknownKey)
  }

  static let badAnswers: [(name: String, status: Int, body: String, headers: JSONValue, fill: Int, reason: String)] = [
    ("404", 404, "", [:], 0, "the status is 404"), ("204", 204, "", [:], 0, "the status is 204"),
    ("redirect", 302, "", ["Location": "/elsewhere"], 0, "a redirect is not followed"),
    ("html", 200, "<html>Sign in</html>", ["Content-Type": "text/html"], 0, "it is no JSON"),
    ("empty", 200, "", [:], 0, "it is no JSON"), ("none", 200, #"{"keys":[]}"#, [:], 0, "it has no key"),
    ("odd", 200, #"{"keys":[{"kty":"oct","kid":"h","k":"AAAA"}]}"#, [:], 0, "h: its kty or crv"),
    ("object", 200, #"{"error":"x"}"#, [:], 0, "it is no JSON Web Key Set"),
    ("large", 200, "{", [:], 10 << 20, "more than 1048576 bytes"),
    ("many", 200, #"{"keys":[\#(String(repeating: "{},", count: 10_000).dropLast())]}"#, [:], 0, "10000 keys"),
  ]

  @Test(arguments: badAnswers.indices) func badAnswer_leavesTheOldKeys(index: Int) async throws {
    let answer = Self.badAnswers[index]
    let path = "/bad-\(answer.name)"
    let authenticator = try authenticator(path)
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: "/elsewhere")
    try await issuer.serve(answer.body, at: path, status: answer.status, headers: answer.headers, fill: answer.fill)
    #expect(await authenticator.refusal(try await token("rsa-1", kid: "a")) == Self.noKeys)
    #expect(log.all.last?.text.contains(answer.reason) == true, "\(log.texts)")
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    clock.advance(1)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    try await issuer.serve(answer.body, at: path, status: answer.status, headers: answer.headers, fill: answer.fill)
    clock.advance(3600)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    #expect(log.all.last?.text.contains("those from before are used") == true, "\(log.texts)")
  }

  @Test func silentIssuer_isGivenUpInTime() async throws {
    let path = "/hangs"
    try await issuer.serve("{}", at: path, holds: true)
    let authenticator = try authenticator(path) { $0.keysTimeoutSeconds = 1 }
    #expect(await authenticator.refusal(try await token("rsa-1", kid: "a")) == Self.noKeys)
    #expect(log.all.last?.text.contains("Timeout was reached") == true, "\(log.texts)")
    try await issuer.release(path)
  }

  @Test func nobodyThere_isSaid() async throws {
    let authenticator = try JWTAuthenticator(url: "http://127.0.0.1:1/keys", clock: clock, log: log)
    #expect(await authenticator.refusal(try await token("rsa-1", kid: "a")) == Self.noKeys)
    #expect(log.all.last?.text.contains("Couldn't connect to server") == true, "\(log.texts)")
  }

  // MARK: TLS, discovery, files

  @Test func certificate_hasToBeKnown() async throws {
    let path = "/tls"
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: path)
    let stranger = try JWTAuthenticator(url: issuer.https + path, clock: clock, log: log)
    #expect(await stranger.refusal(try await token("rsa-1", kid: "a")) == Self.noKeys)
    #expect(try await issuer.count(path) == 0)
    let known = try JWTAuthenticator(url: issuer.https + path, clock: clock) { $0.caFile = issuer.certificate }
    try await known.identity(token("rsa-1", kid: "a"))
    // A certificate is of a name, and not of a machine.
    let otherName = issuer.https.replacing("127.0.0.1", with: "localhost")
    let other = try JWTAuthenticator(url: otherName + path, clock: clock, log: log) { $0.caFile = issuer.certificate }
    #expect(await other.refusal(try await token("rsa-1", kid: "a")) == Self.noKeys)
  }

  @Test func file_isReadAnew_whenItHasChanged() async throws {
    let folder = try ScratchFolder()
    let authenticator = try JWTAuthenticator(
      set: try await issuer.set("rsa-1", kid: "a"), in: folder, clock: clock, log: log)
    try await authenticator.identity(token("rsa-1", kid: "a"))
    try folder.write(try await issuer.set("rsa-2", kid: "b"), to: "keys.json")
    clock.advance(9)
    #expect(await authenticator.refusal(try await token("rsa-2", kid: "b")) == Self.unknownKey)
    clock.advance(1)
    try await authenticator.identity(token("rsa-2", kid: "b"))
    #expect(await authenticator.refusal(try await token("rsa-1", kid: "a")) == Self.unknownKey)
    try folder.write(#"{"keys":["#, to: "keys.json")
    clock.advance(10)
    try await authenticator.identity(token("rsa-2", kid: "b"))
    #expect(log.all.last?.text.contains("it is no JSON") == true, "half a file is not taken: \(log.texts)")
  }

  @Test func fileWithoutKeys_isRefusedAtTheStart() async throws {
    let folder = try ScratchFolder()
    for text in ["", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#] {
      #expect(throws: JWTSettingsError.self) { try JWTAuthenticator(set: text, in: folder) }
    }
    #expect(throws: JWTSettingsError.unusableFile("/nowhere/keys.json", "it cannot be read.")) {
      try JWTAuthenticator(.tests { $0.keysFile = "/nowhere/keys.json" }, logger: log.logger)
    }
  }
}
