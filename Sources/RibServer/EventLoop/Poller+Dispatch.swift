import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Two dispatch sources for each descriptor: works wherever Dispatch does, at about twice the cost of one epoll set.
final class DispatchPoller: Poller {
  private final class Watch {
    let descriptor: Int32
    var interest: Interest = []
    private let read: any DispatchSourceRead
    private let write: any DispatchSourceWrite

    init(_ descriptor: Int32, _ queue: DispatchQueue, _ handler: @escaping (Readiness) -> Void) {
      self.descriptor = descriptor
      read = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      write = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
      read.setEventHandler { handler(.readable) }
      write.setEventHandler { handler(.writable) }
    }

    /// A source is created suspended; each call changes its suspension by at most one.
    func change(to new: Interest) {
      if new.contains(.reading) != interest.contains(.reading) {
        if new.contains(.reading) { read.resume() } else { read.suspend() }
      }
      if new.contains(.writing) != interest.contains(.writing) {
        if new.contains(.writing) { write.resume() } else { write.suspend() }
      }
      interest = new
    }

    /// Calls back when both sources have let go of the descriptor; a suspended source would never tell.
    func cancel(_ done: @escaping (Int32) -> Void) {
      let descriptor = descriptor
      let remaining = Countdown(2) { done(descriptor) }
      read.setCancelHandler { remaining.step() }
      write.setCancelHandler { remaining.step() }
      read.cancel()
      write.cancel()
      change(to: [.reading, .writing])
    }
  }

  /// Calls back at the last of several steps, all made on one queue.
  private final class Countdown {
    private var count: Int
    private let atZero: () -> Void

    init(_ count: Int, _ atZero: @escaping () -> Void) {
      self.count = count
      self.atZero = atZero
    }

    func step() {
      count -= 1
      if count == 0 { atZero() }
    }
  }

  private let queue: DispatchQueue
  private let willHandle: () -> UInt64
  private let didHandle: () -> Void
  private var watches: [Int: Watch] = [:]
  private var lastWatch = 0

  init(queue: DispatchQueue, _ setup: PollerSetup) {
    self.queue = queue
    willHandle = setup.willHandle
    didHandle = setup.didHandle
  }

  func watch(_ descriptor: Int32, for interest: Interest, _ target: any PollTarget) -> Int {
    lastWatch += 1
    let number = lastWatch
    let watch = Watch(descriptor, queue) { [unowned self, weak target] readiness in
      // A handler may be on its way when the watch is cancelled.
      guard watches[number] != nil, let target else { return }
      _ = willHandle()
      target.ready(readiness)
      didHandle()
    }
    watches[number] = watch
    watch.change(to: interest)
    return number
  }

  func change(_ watch: Int, to interest: Interest) { watches[watch]?.change(to: interest) }
  func unwatch(_ watch: Int, _ done: @escaping (Int32) -> Void) { watches.removeValue(forKey: watch)?.cancel(done) }
  func wake() -> Bool { false }

  /// A suspended source must not be released: each is cancelled first, which resumes it.
  func cancel() {
    for watch in watches.values { watch.cancel { closeDescriptor($0) } }
    watches = [:]
  }
}
