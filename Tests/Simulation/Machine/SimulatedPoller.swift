import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells of real descriptors, in an order that is drawn at random, and not all at once.
final class SimulatedPoller: Poller {
  private struct Watch {
    let number: Int
    let descriptor: Int32
    /// The process's number of the socket.
    let socket: Int
    var interest: Interest
    let target: any PollTarget
  }

  private unowned let queue: SimulatedQueue
  private let setup: PollerSetup
  private var watches: [Watch] = []
  private var lastNumber = 0
  /// Whether something may have happened since all descriptors were looked at.
  private(set) var mayBeReady = false
  /// Whether the handler waits for more.
  private var isLingering = false
  private var isWoken = false
  private var isCancelled = false

  init(_ setup: PollerSetup, on queue: SimulatedQueue) {
    self.setup = setup
    self.queue = queue
    queue.process.pollers.append(self)
  }

  func watch(_ descriptor: Int32, for interest: Interest, _ target: any PollTarget) throws(SystemError) -> Int {
    lastNumber += 1
    guard let socket = queue.process.socket(descriptor) else {
      preconditionFailure("nobody would tell of descriptor \(descriptor)")
    }
    watches.append(
      Watch(number: lastNumber, descriptor: descriptor, socket: socket, interest: interest, target: target))
    lookAgain()
    return lastNumber
  }

  func change(_ watch: Int, to interest: Interest) {
    guard let index = watches.firstIndex(where: { $0.number == watch }) else { return }
    watches[index].interest = interest
    lookAgain()
  }

  func unwatch(_ watch: Int, _ done: @escaping (Int32) -> Void) {
    guard let index = watches.firstIndex(where: { $0.number == watch }) else { return }
    done(watches.remove(at: index).descriptor)
  }

  func wake() -> Bool {
    guard isLingering else { return false }
    isLingering = false
    isWoken = true
    lookAgain()
    return true
  }

  func cancel() {
    isCancelled = true
    watches = []
    isLingering = false
    // Its loop may be gone.
    isWoken = false
  }

  /// Whether it watches a socket.
  ///
  /// - Parameters:
  ///   - socket: its number among those of the process.
  ///   - interest: what for; nil for anything, and for nothing: of a socket's end all hear.
  /// - Returns: whether it does.
  func isWatching(_ socket: Int, for interest: Interest?) -> Bool {
    watches.contains { watch in
      watch.socket == socket && interest.map { !watch.interest.isDisjoint(with: $0) } ?? true
    }
  }

  /// Something may have happened to a descriptor.
  func lookAgain() {
    guard !isCancelled else { return }
    mayBeReady = true
    queue.goOn()
  }

  /// Tells of some of what has happened.
  func handleEvents() {
    let isWoken = isWoken
    self.isWoken = false
    let events = ready()
    mayBeReady = !events.isEmpty
    guard isWoken || !events.isEmpty else { return }
    _ = setup.willHandle()
    if isWoken { setup.wasWoken() }
    for (number, readiness) in events {
      // It may be watched no more, or for something else.
      guard let watch = watches.first(where: { $0.number == number }) else { continue }
      watch.target.ready(readiness)
    }
    setup.didHandle()
    linger()
  }

  private func linger() {
    let scheduler = queue.process.scheduler
    guard !isCancelled, !isLingering, scheduler.random.oneIn(4) else { return }
    isLingering = true
    scheduler.at(scheduler.now + UInt64(setup.linger) * 1_000_000, of: queue.process) { [self] in isLingering = false }
  }

  /// Some of those to which something has happened, in any order.
  private func ready() -> [(Int, Readiness)] {
    var list = watches.map { watch in
      let mask = (watch.interest.contains(.reading) ? POLLIN : 0) | (watch.interest.contains(.writing) ? POLLOUT : 0)
      let isConnecting = queue.process.isConnecting(watch.socket)
      return pollfd(fd: isConnecting ? -1 : watch.descriptor, events: Int16(mask), revents: 0)
    }
    guard poll(&list, nfds_t(list.count), 0) > 0 else { return [] }
    var events: [(Int, Readiness)] = []
    for (index, entry) in list.enumerated() where entry.revents != 0 {
      var readiness: Readiness = []
      if entry.revents & Int16(POLLIN) != 0 { readiness.insert(.readable) }
      if entry.revents & Int16(POLLOUT) != 0 { readiness.insert(.writable) }
      if entry.revents & Int16(POLLHUP | POLLERR) != 0 { readiness.insert(.hungUp) }
      events.append((watches[index].number, readiness))
    }
    guard events.count > 1 else { return events }
    events.shuffle(using: &queue.process.scheduler.random)
    let count = 1 + queue.process.scheduler.random.below(events.count)
    return Array(events.prefix(count))
  }
}
