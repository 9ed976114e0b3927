import CurlTransport
import Foundation
import RibCore
import RibServer
import Testing
import Wire
import WireHTTP

@testable import Showcase

/// The events of several clients in one answer, for pages whose browser has few connections.
@Suite struct JoinedEventsTests {
  /// A client of a session, and what it knows of its view.
  private struct Member {
    let client: TwinClient
    var attempt = 0
    var id = ""

    init(_ url: String, _ hello: String = #"{"app":"counter"}"#) throws {
      client = try TwinClient(url)
      #expect(try client.create(hello).status == 201)
    }

    /// What it resumes, as JSON.
    mutating func resume() -> String {
      attempt += 1
      let parts = id.split(separator: ".")
      let (epoch, rev) = parts.count == 2 ? (String(parts[0]), String(parts[1])) : ("", "0")
      return #"{"sid":"\#(client.sessionID)","cid":1,"token":"\#(client.token)","try":\#(attempt),"#
        + #""epoch":"\#(epoch)","rev":\#(rev)}"#
    }
  }

  private static func join(_ members: inout [Member], _ stream: TwinClient, _ features: String = "") throws {
    let resumes = members.indices.map { members[$0].resume() }.joined(separator: ",")
    let head = try stream.join(#"{"resume":[\#(resumes)],"features":[\#(features)]}"#)
    try #require(head.status == .ok && head.headers["Content-Type"] == "text/event-stream")
  }

  /// Reads events until each member has had one that fits.
  private static func read(
    _ stream: TwinClient, _ members: inout [Member], until kind: String
  ) throws -> [Int: String] {
    var found: [Int: String] = [:]
    while found.count < members.count {
      let event = try #require(try stream.event())
      let number = try #require(event.number)
      if let id = event.id { members[number].id = id }
      if event.data.hasPrefix(#"{"t":"\#(kind)""#) { found[number] = event.data }
    }
    return found
  }

  @Test func tenSessions_areToldInOneAnswer() async throws {
    try await withServer({ $0.loops = 3 }) { server, url in
      try await blocking {
        var members = try (0..<10).map { _ in try Member(url) }
        let stream = try TwinClient(url)
        try Self.join(&members, stream)
        let snaps = try Self.read(stream, &members, until: "snap")
        #expect(snaps.values.allSatisfy { $0.contains(#""count":0"#) })
        for (index, member) in members.enumerated() {
          for number in 1...index + 1 { _ = try member.client.act("\"\(number)\"", #"{"to":"","a":"increment"}"#) }
        }
        var counts = [Int](repeating: 0, count: members.count)
        while counts != Array(1...10) {
          let event = try #require(try stream.event())
          guard event.data.hasPrefix(#"{"t":"patch""#), let number = event.number else { continue }
          counts[number] += 1
          members[number].id = try #require(event.id)
          #expect(event.data.contains(#""value":\#(counts[number])}"#))
        }
        // Another answer goes on where this one was, and takes the clients over.
        let next = try TwinClient(url)
        try Self.join(&members, next)
        let welcomes = try Self.read(next, &members, until: "welcome")
        #expect(welcomes.values.allSatisfy { $0.contains(#""resumed":true"#) })
        let byes = try Self.read(stream, &members, until: "bye")
        #expect(byes.values.allSatisfy { $0.contains(#""code":"taken""#) })
        #expect(try stream.event() == nil)
        _ = try members[4].client.act(#""6""#, #"{"to":"","a":"increment"}"#)
        let event = try #require(try next.event())
        #expect(event.number == 4 && event.data.hasPrefix(#"{"t":"patch""#))
      }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  @Test func clientThatIsRefused_endsAlone() async throws {
    try await withServer { _, url in
      try await blocking {
        var members = try (0..<4).map { _ in try Member(url) }
        #expect(try members[1].client.end().status == 204)
        let strangers = try TwinClient(url)
        _ = try strangers.create()
        let resumes = members.indices.map { index in
          let resume = members[index].resume()
          // Of the third the token is another session's.
          return index == 2 ? resume.replacingOccurrences(of: members[2].client.token, with: strangers.token) : resume
        }
        let stream = try TwinClient(url)
        #expect(try stream.join(#"{"resume":[\#(resumes.joined(separator: ","))]}"#).status == .ok)
        var firsts: [Int: String] = [:]
        while firsts.count < 4 {
          let event = try #require(try stream.event())
          if let number = event.number, firsts[number] == nil { firsts[number] = event.data }
        }
        #expect(firsts[1]?.hasPrefix(#"{"t":"bye","code":"gone""#) == true)
        #expect(firsts[2]?.hasPrefix(#"{"t":"bye","code":"denied""#) == true)
        #expect(firsts[0]?.hasPrefix(#"{"t":"welcome""#) == true && firsts[3]?.hasPrefix(#"{"t":"welcome""#) == true)
        // An older attempt is refused, and the answer that has the client goes on.
        let late = try TwinClient(url)
        members[0].attempt = 0
        #expect(try late.join(#"{"resume":[\#(members[0].resume())]}"#).status == .ok)
        #expect(try late.event()?.data.hasPrefix(#"{"t":"bye","code":"stale""#) == true)
        #expect(try late.event() == nil)
        // The answer ends with its last client.
        #expect(try members[0].client.end().status == 204)
        #expect(try members[3].client.end().status == 204)
        var ended: Set<Int> = []
        while let event = try stream.event() {
          if event.data.hasPrefix(#"{"t":"bye","code":"ended""#), let number = event.number { ended.insert(number) }
        }
        #expect(ended == [0, 3])
      }
    }
  }

  @Test func wrongRequests_areProblems() async throws {
    try await withServer { server, url in
      try await blocking {
        var member = try Member(url)
        let good = member.resume()
        let many = Array(repeating: good, count: 33).joined(separator: ",")
        for (body, status) in [
          ("", 400), ("{", 400), ("[]", 400), ("{}", 400), (#"{"resume":[]}"#, 400), (#"{"resume":{}}"#, 400),
          (#"{"resume":[7]}"#, 400), (#"{"resume":[\#(many)]}"#, 413),
          (#"{"resume":[\#(good.replacingOccurrences(of: member.client.sessionID, with: "x/view?"))]}"#, 400),
          (#"{"resume":[{"sid":"a","token":"b","try":0}]}"#, 400),
          (#"{"resume":[{"sid":"a","token":"b","try":"1"}]}"#, 400),
          (#"{"resume":[{"sid":"a","token":"b","epoch":5,"rev":1}]}"#, 400),
          (#"{"resume":[{"sid":"a","token":"b","epoch":"e","rev":-1}]}"#, 400),
          (#"{"resume":[{"sid":"a","token":"b","rev":1}]}"#, 400),
          (#"{"resume":[\#(good.replacingOccurrences(of: member.client.sessionID, with: #"x HTTP/1.1\r\n"#))]}"#, 400),
        ] {
          let answer = try TwinClient(url).ask("POST", "/v1/events", body)
          #expect(answer.isProblem(status), "\(body.prefix(100)): \(answer)")
        }
        #expect(try TwinClient(url).ask("GET", "/v1/events").isProblem(405))
        let form = try TwinClient(url).ask(
          "POST", "/v1/events", #"{"resume":[\#(good)]}"#, headers: ["Content-Type: text/plain"])
        #expect(form.isProblem(415))
        let foreign = try TwinClient(url).ask(
          "POST", "/v1/events", #"{"resume":[\#(good)]}"#, headers: ["Origin: https://example.com"])
        #expect(foreign.isProblem(403))
      }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  /// Who goes takes all of its clients along.
  @Test func cutAnswer_disconnectsItsClients() async throws {
    try await withServer { server, url in
      let (stream, clients) = try await blocking {
        var members = try (0..<3).map { _ in try Member(url) }
        let stream = try TwinClient(url)
        try Self.join(&members, stream, #""clients""#)
        _ = try Self.read(stream, &members, until: "snap")
        return (stream, members.map(\.client))
      }
      // The answer, a connection for each client, and those that made the sessions.
      #expect(server.connectionCount == 7)
      stream.cut()
      #expect(await eventually { server.connectionCount == 3 })
      for client in clients { client.cut() }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  /// One client's view is longer than the sockets hold; the others' events come whole, before or after it.
  @Test func longView_isNotTornApart() async throws {
    struct Poster: Riblet {
      static let typeName = "Poster"
      enum ViewAction: Decodable { case look }
      func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
        state += 1
        return .none
      }
      func makeState() -> Int { 0 }
      func view(_ state: Int) -> String { String(repeating: state == 0 ? "a" : "b", count: 2_000_000) }
    }
    try await withServer(apps: [App("poster") { Poster() }, App("counter") { Counter() }]) { _, url in
      try await blocking {
        var members = [try Member(url, #"{"app":"poster"}"#), try Member(url), try Member(url, #"{"app":"poster"}"#)]
        let stream = try TwinClient(url)
        try Self.join(&members, stream)
        let snaps = try Self.read(stream, &members, until: "snap")
        for number in [0, 2] { #expect(snaps[number]?.utf8.count ?? 0 > 2_000_000) }
        for number in [0, 1, 2] {
          let action = number == 1 ? "increment" : "look"
          _ = try members[number].client.act(#""1""#, #"{"to":"","a":"\#(action)"}"#)
        }
        let patches = try Self.read(stream, &members, until: "patch")
        for number in [0, 2] {
          #expect(patches[number]?.contains(String(repeating: "b", count: 2_000_000)) == true)
        }
        #expect(patches[1]?.contains(#""value":1"#) == true)
      }
    }
  }

  /// It comes back, as one does whose events come alone.
  @Test func clientThatIsTooFast_isTurnedAwayForNow() async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 1
      $0.limits.actionBurst = 20
    }) { _, url in
      try await blocking {
        var members = [try Member(url), try Member(url)]
        let actions = Array(repeating: #"{"to":"","a":"increment"}"#, count: 256).joined(separator: ",")
        #expect(try members[0].client.act(#""1""#, "[\(actions)]").status == 200)
        let stream = try TwinClient(url)
        try Self.join(&members, stream)
        var answer: String?
        while answer == nil, let event = try stream.event() { if event.number == 0 { answer = event.data } }
        #expect(answer?.hasPrefix(#"{"t":"bye","code":"busy","#) == true, "\(answer ?? "")")
      }
    }
  }

  @Test func stop_endsTheAnswer() async throws {
    try await withServer { server, url in
      let stream = try await blocking {
        var members = try (0..<2).map { _ in try Member(url) }
        let stream = try TwinClient(url)
        try Self.join(&members, stream)
        _ = try Self.read(stream, &members, until: "snap")
        return stream
      }
      await server.stop()
      try await blocking { while try stream.event() != nil {} }
    }
  }
}
