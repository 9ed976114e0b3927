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
    #expect(!stores[0].isShared)
    do {
      let other = try FlightRecorder.open(in: directory.path, slotCount: 1) { start in
        // A look between the count and the row must not take this process for one that is alone.
        _ = try stores[0].perform([.probe])
        _ = try stores[1].begin(start)
      }
      #expect(stores[0].isShared && stores[1].isShared)
      _ = try stores[0].perform([.probe])
      #expect(stores[0].isShared)
      withExtendedLifetime(other) { stores[1].close() }
    }
    #expect(stores[0].isShared)
    _ = try stores[0].perform([.probe])
    #expect(!stores[0].isShared)
    withExtendedLifetime(recorder) { stores[0].close() }
  }
}
