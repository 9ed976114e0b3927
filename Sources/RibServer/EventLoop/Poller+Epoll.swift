#if os(Linux)
  import CLinux
  import Dispatch
  import Glibc
  import Synchronization

  /// One epoll set for all descriptors of a loop, and one dispatch source that watches the set.
  ///
  /// A source for each socket costs libdispatch's bookkeeping for each message. Here the source fires once, and its
  /// handler takes all events from the set. When it has found some, it lingers in `epoll_wait` for a moment: the next message
  /// of a quick peer then costs no way through libdispatch. Lingering never delays a job: whoever enqueues one wakes the
  /// handler through an eventfd that is part of the set.
  final class EpollPoller: Poller {
    /// Events taken from the kernel at once.
    private static let batch = 128
    /// How long batches are handled before the queue gets a turn, for timers above all: 10 ms, in nanoseconds.
    private static let longestTurn: UInt64 = 10_000_000

    private struct Slot {
      /// Tells an event of an earlier user of the slot from one of the present user's.
      var generation: UInt32 = 0
      var descriptor: Int32 = -1
      var target: (any PollTarget)?
    }

    private let set: Int32
    private let wakeDescriptor: Int32
    private let lingerMilliseconds: Int32
    private let queue: DispatchQueue
    private let source: any DispatchSourceRead
    private var isCancelled = false
    /// Whether a job on the queue goes on where the handler has made way.
    private var goesOnLater = false
    private let jobs: JobCounter
    private let willHandle: () -> UInt64
    private let didHandle: () -> Void
    private let wasWoken: () -> Void
    private let isLingering = Atomic<Bool>(false)
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var events = [epoll_event](repeating: epoll_event(), count: EpollPoller.batch)

    /// A poller that calls its targets on `queue`.
    ///
    /// - Parameters:
    ///   - queue: the loop's.
    ///   - setup: its settings, and whom it tells.
    /// - Throws: ``SystemError`` if the process is out of descriptors.
    init(queue: DispatchQueue, _ setup: PollerSetup) throws(SystemError) {
      set = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard set >= 0 else { throw .last("epoll_create1") }
      wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
      var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(u64: .max))
      guard wakeDescriptor >= 0, epoll_ctl(set, EPOLL_CTL_ADD, wakeDescriptor, &event) == 0 else {
        let error = SystemError.last("eventfd")
        if wakeDescriptor >= 0 { close(wakeDescriptor) }
        close(set)
        throw error
      }
      lingerMilliseconds = setup.linger
      jobs = setup.jobs
      willHandle = setup.willHandle
      didHandle = setup.didHandle
      wasWoken = setup.wasWoken
      self.queue = queue
      source = DispatchSource.makeReadSource(fileDescriptor: set, queue: queue)
      source.setEventHandler { [unowned self] in handleEvents() }
      // Only once the source has let go of the set may its number be used again.
      source.setCancelHandler { [set] in close(set) }
      source.activate()
    }

    /// Whatever could still wake the poller holds a reference to it: now nothing can.
    deinit { close(wakeDescriptor) }

    // MARK: Watching

    func watch(_ descriptor: Int32, for interest: Interest, _ target: any PollTarget) throws(SystemError) -> Int {
      let index = freeSlots.popLast() ?? slots.count
      if index == slots.count { slots.append(Slot()) }
      slots[index].descriptor = descriptor
      slots[index].target = target
      guard control(EPOLL_CTL_ADD, index, interest) else {
        let error = SystemError.last("epoll_ctl")
        release(index)
        throw error
      }
      return index
    }

    func change(_ watch: Int, to interest: Interest) {
      _ = control(EPOLL_CTL_MOD, watch, interest)
    }

    func unwatch(_ watch: Int, _ done: @escaping (Int32) -> Void) {
      let descriptor = slots[watch].descriptor
      // Closing would do, unless a child process that was forked meanwhile keeps the socket open.
      epoll_ctl(set, EPOLL_CTL_DEL, descriptor, nil)
      // An event that is in the batch already finds the slot's generation changed.
      release(watch)
      done(descriptor)
    }

    private func release(_ index: Int) {
      slots[index].target = nil
      slots[index].descriptor = -1
      slots[index].generation &+= 1
      freeSlots.append(index)
    }

    private func control(_ operation: Int32, _ index: Int, _ interest: Interest) -> Bool {
      var mask: UInt32 = 0
      if interest.contains(.reading) { mask |= EPOLLIN.rawValue }
      if interest.contains(.writing) { mask |= EPOLLOUT.rawValue }
      let data = UInt64(slots[index].generation) << 32 | UInt64(index)
      var event = epoll_event(events: mask, data: epoll_data(u64: data))
      return epoll_ctl(set, operation, slots[index].descriptor, &event) == 0
    }

    // MARK: Events

    func wake() -> Bool {
      guard isLingering.exchange(false, ordering: .sequentiallyConsistent) else { return false }
      var one: UInt64 = 1
      _ = write(wakeDescriptor, &one, 8)
      return true
    }

    func cancel() {
      isCancelled = true
      source.cancel()
    }

    /// Hands on what is ready, and what becomes ready in the next moment.
    private func handleEvents() {
      var count = epoll_wait(set, &events, Int32(Self.batch), 0)
      var start: UInt64?
      while count > 0 {
        let now = willHandle()
        for index in 0..<Int(count) { dispatch(events[index]) }
        didHandle()
        let began = start ?? now
        start = began
        if lingerMilliseconds == 0 { return }
        if now - began > Self.longestTurn { return makeWay() }
        count = linger()
      }
    }

    /// Lets the queue do what waits there, and goes on after it, on the same thread: the source would have to be armed again, and
    /// to fire, on libdispatch's thread for that, which waits for a core as well.
    private func makeWay() {
      guard !goesOnLater else { return }
      goesOnLater = true
      queue.async(
        execute: DispatchWorkItem { [weak self] in
          guard let self, !isCancelled else { return }
          goesOnLater = false
          handleEvents()
        })
    }

    /// Waits for events until there are some, time is up, or a job wants the queue.
    private func linger() -> Int32 {
      isLingering.store(true, ordering: .sequentiallyConsistent)
      // A job enqueued before the store has not seen it: it is found here. One enqueued later sees it, and wakes us.
      if jobs.isAnyWaiting {
        isLingering.store(false, ordering: .sequentiallyConsistent)
        makeWay()
        return 0
      }
      let count = epoll_wait(set, &events, Int32(Self.batch), lingerMilliseconds)
      isLingering.store(false, ordering: .sequentiallyConsistent)
      return count
    }

    private func dispatch(_ event: epoll_event) {
      guard event.data.u64 != .max else {
        var counter: UInt64 = 0
        _ = read(wakeDescriptor, &counter, 8)
        return wasWoken()
      }
      let index = Int(truncatingIfNeeded: event.data.u64 & 0xFFFF_FFFF)
      guard slots[index].generation == UInt32(truncatingIfNeeded: event.data.u64 >> 32),
        let target = slots[index].target
      else { return }
      var readiness: Readiness = []
      if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
      if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
      if event.events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.hungUp) }
      target.ready(readiness)
    }
  }
#endif
