import CurlTransport
import Foundation
import RibServer
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

/// What opens something is in no file that the server writes, and in no line of its log.
@Suite struct CredentialTests {
  /// Has a server with all that it can write do what there is to do with credentials.
  ///
  /// - Returns: all that was shown to it and by it, and opens something.
  private func play(_ url: String) throws -> [String] {
    // Each with a part that nothing else has.
    let people = ["ada:clerk,mark-of-ada;exp=60", "ada:clerk,mark-of-renewal;exp=90", "wrong:mark-of-a-guess"]
    let client = try PlainClient(url, saying: #"{"t":"hello","app":"open"}"#)
    try client.greet()
    var welcome = try client.welcome
    var tokens = [welcome.token]
    let invitation = try {
      try client.next(#"{"t":"snap""#); return try client.share("act")
    }()
    tokens.append(invitation)
    tokens.append(try PlainClient(url, joining: invitation).welcome.token)
    try client.send(#"{"t":"auth","token":"\#(people[0])"}"#)
    let answer = try JSONValue(parsing: try #require(try client.all(until: #"{"t":"auth""#).last))
    welcome.token = try #require(answer["token"]?.string)
    tokens.append(welcome.token)
    try client.act(1, #""count""#)
    _ = try client.all(until: #"{"t":"patch","rev":3"#)
    try client.act(2, #""close""#)
    _ = try client.all(until: #"{"t":"nack""#)
    client.cut()
    for (attempt, credential) in [people[2], people[1]].enumerated() {
      let hello = PlainClient.resume(welcome, attempt: attempt + 1)
      let back = try PlainClient(url, saying: hello.dropLast() + #","auth":"\#(credential)"}"#)
      try back.next()
    }
    let twin = try TwinClient(url, sessionID: welcome.sessionID, token: welcome.token)
    #expect(try twin.ask("GET", of: "/view", as: people[1]).status == 200)
    #expect(try twin.ask("GET", of: "/view", as: people[2]).status == 401)
    #expect(try twin.act(#""3""#, #"{"to":"","a":"count"}"#, as: people[1]).status == 200)
    _ = try twin.ask("GET", "/v1/sessions?token=\(welcome.token)", headers: ["Riblet-Token: \(welcome.token)"])
    return people + tokens
  }

  @Test func credentials_areInNoFile_andInNoLine() async throws {
    let directory = try TemporaryDirectory()
    let log = CollectedLog()
    let said = Mutex<[String]>([])
    try await withServer(
      apps: Desk.apps, authenticator: Doorman(), logger: log.logger,
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
        $0.recordDirectory = directory.path + "/recordings"
        $0.limits.sessionsPerIdentity = 10
      }
    ) { server, url in
      try await blocking { () throws in
        let all = try self.play(url)
        said.withLock { $0 = all }
      }
      try await server.signOut("ada")
    }
    var found: [String] = []
    let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    #expect(files.contains { $0.hasSuffix("sessions.sqlite") } && files.contains { $0.hasPrefix("recordings/") })
    for secret in said.withLock({ $0 }) {
      // Of a credential no more than the roles is kept, which are a part of it here.
      let needle = Data((secret.split(separator: ";").first.map(String.init) ?? secret).utf8)
      for file in files
      where FileManager.default.contents(atPath: "\(directory.path)/\(file)")?.range(of: needle) != nil {
        found.append("\(file): \(secret)")
      }
      found += log.all.map(\.text).filter { $0.contains(String(decoding: needle, as: UTF8.self)) }
    }
    #expect(found.isEmpty)
    // It has said a lot.
    #expect(log.all.count > 10)
  }
}
