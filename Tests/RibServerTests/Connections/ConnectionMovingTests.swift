import Logging
import RibCore
import Testing

@testable import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct ConnectionMovingTests {
  /// The loop that a signed-in client's connection moves to goes down meanwhile.
  @Test func connectionThatCannotArrive_countsToItsPersonNoMore() async throws {
    var settings = ServerSettings()
    settings.limits.connectionsPerIdentity = 1
    let context = ServerContext(
      apps: [], files: StaticFiles(), settings: settings,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let loops = try (0..<2).map { number in
      try EventLoop(name: "test.loop.\(number)", linger: 0, usesEpoll: true, messageLimit: 1000)
    }
    defer { for loop in loops { loop.stop() } }
    loops[1].stop()
    #expect(await eventually { loops[1].executeAndWait { loops[1].isStopping } })
    var pair: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
    defer { close(pair[1]) }
    let (own, identity) = (pair[0], Identity("ada"))
    let isCounted = loops[0].executeAndWait {
      let connection = Connection(
        own, .admitted, from: Caller(address: nil), isCounted: false, on: loops[0], context)
      connection.start()
      let ending = connection.count(SignIn(identity, .system, grace: 0))
      let isFound = !loops[0].connectionsByPerson.connections(of: [PersonID(identity)]).isEmpty
      connection.move(to: loops[1]) { _ in }
      return ending == nil && isFound && !context.connectionsOfPersons.enter(identity)
    }
    #expect(isCounted)
    #expect(await eventually { context.connectionsOfPersons.enter(identity) })
    #expect(loops.allSatisfy { loop in loop.executeAndWait { loop.connectionsByPerson.isEmpty } })
  }
}
