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
  private static let identity = Identity("ada")

  /// A signed-in client's connection on the first of two loops, and the other end of its socket.
  private static func withConnection(
    _ body: (_ connection: Connection, _ loops: [EventLoop], ServerContext) async throws -> Void
  ) async throws {
    var settings = ServerSettings()
    settings.limits.connectionsPerIdentity = 1
    let context = ServerContext(
      apps: [], files: StaticFiles(), settings: settings,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let loops = try (0..<2).map { number in
      try EventLoop(name: "test.loop.\(number)", linger: 0, usesEpoll: true, messageLimit: 1000)
    }
    defer { for loop in loops { loop.stop() } }
    var pair: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
    defer { close(pair[1]) }
    let own = pair[0]
    let connection = loops[0].executeAndWait { () -> Connection in
      let connection = Connection(
        own, .admitted, from: Caller(address: nil), isCounted: false, on: loops[0], context)
      connection.start()
      let ending = connection.count(SignIn(identity, .system, grace: 0))
      #expect(ending == nil && isFound(on: loops[0]) && !context.connectionsOfPersons.enter(identity))
      return connection
    }
    try await body(connection, loops, context)
  }

  private static func isFound(on loop: EventLoop) -> Bool {
    !loop.connectionsByPerson.connections(of: [PersonID(identity)]).isEmpty
  }

  @Test func connectionThatMoves_isFoundByItsPerson() async throws {
    try await Self.withConnection { connection, loops, _ in
      loops[0].execute { connection.move(to: loops[1]) { _ in } }
      #expect(await eventually { loops[1].executeAndWait { Self.isFound(on: loops[1]) } })
      #expect(!loops[0].executeAndWait { Self.isFound(on: loops[0]) })
    }
  }

  /// The loop that a signed-in client's connection moves to goes down meanwhile.
  @Test func connectionThatCannotArrive_countsToItsPersonNoMore() async throws {
    try await Self.withConnection { connection, loops, context in
      loops[1].stop()
      #expect(await eventually { loops[1].executeAndWait { loops[1].isStopping } })
      loops[0].execute { connection.move(to: loops[1]) { _ in } }
      #expect(await eventually { context.connectionsOfPersons.enter(Self.identity) })
      #expect(loops.allSatisfy { loop in loop.executeAndWait { loop.connectionsByPerson.isEmpty } })
    }
  }
}
