import Testing
import Wire

@testable import RibServer

@Suite struct StartCounterTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func processThatBegins_isSeenByTheOthersAtOnce() throws {
    let path = "\(directory.path)/count"
    let counters = try (0..<2).map { _ in
      let descriptor = openFile(path)
      defer { closeDescriptor(descriptor) }
      return try StartCounter(descriptor, path)
    }
    #expect(counters.map(\.count) == [0, 0])
    counters[1].increment()
    #expect(counters.map(\.count) == [1, 1])
    counters[0].increment()
    #expect(counters.map(\.count) == [2, 2])
  }

  /// A store is shared from the moment on at which another process begins, until it is known that this one is alone.
  @Test func store_isSharedOnceAnotherProcessBegins() throws {
    let stores = try (0..<2).map { _ in try SQLiteStore(path: directory.store, durability: .process) }
    let recorder = try FlightRecorder.open(in: directory.path, slotCount: 1) { _ = try stores[0].begin($0) }
    #expect(!stores[0].isShared(since: 0))
    do {
      let other = try FlightRecorder.open(in: directory.path, slotCount: 1) { start in
        // A look between the count and the row must not take this process for one that is alone.
        _ = try stores[0].perform([.probe])
        _ = try stores[1].begin(start)
      }
      #expect(stores[0].isShared(since: .max) && stores[1].isShared(since: .max))
      _ = try stores[0].perform([.probe])
      #expect(stores[0].isShared(since: .max))
      withExtendedLifetime(other) { stores[1].close() }
    }
    #expect(stores[0].isShared(since: .max))
    _ = try stores[0].perform([.probe])
    // What was not written since may have been taken over.
    #expect(!stores[0].isShared(since: .max) && stores[0].isShared(since: 0))
    withExtendedLifetime(recorder) { stores[0].close() }
  }

  /// A process that has died has left its last word; one that was held up has itself heard before it does anything.
  @Test func silentProcess_countsForAMinute() throws {
    let clock = TestClock()
    let stores = try (0..<2).map { _ in
      try SQLiteStore(path: directory.store, durability: .process, clock: clock.clock)
    }
    let recorders = try stores.map { store in
      try FlightRecorder.open(in: directory.path, slotCount: 1) { _ = try store.begin($0) }
    }
    func isShared() throws -> Bool {
      _ = try stores[0].perform([.probe])
      return stores[0].isShared(since: .max)
    }
    #expect(try isShared())
    clock.advance(59)
    #expect(try isShared())
    clock.advance(1)
    #expect(try !isShared())
    _ = try stores[1].perform([.load(sessionID: "")])
    #expect(stores[0].isShared(since: .max), "it is heard at once")
    #expect(try isShared(), "also before it has written")
    clock.advance(40)
    // What it says of itself tells this one nothing.
    #expect(try isShared())
    clock.advance(40)
    #expect(try !isShared())
    withExtendedLifetime(recorders) { for store in stores { store.close() } }
  }
}
