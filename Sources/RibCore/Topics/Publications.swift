import Synchronization

/// A value that was published, and the number of its publication.
struct Publication<Value: Sendable>: Sendable {
  let position: UInt64
  let value: Value
}

/// The machinery of a ``Topic`` or a ``SharedValue``: a log of publications, and the readers and bells that wait for
/// the next.
///
/// One lock orders everything. Under it, a reader begins to wait and a bell is armed only if nothing newer was
/// published; and a publication is counted and takes all readers and bells off the lists in one step. So no publication
/// is missed, and each reader or bell is told once. Resuming, ringing and releasing values may run other code, and is
/// done after unlocking.
///
/// Values are kept only while a ``PublicationMark`` exists, at most `capacity` of them, once for all readers.
final class Publications<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Publication<Value>?, Never>

  private struct State: Sendable {
    var log: PublicationLog<Value>
    /// How many marks need values to be kept.
    var marks = 0
    var subscribers = 0
    var waiting: [Int: Waiter] = [:]
    var lastReader = 0
    var lastBell = 0
    var bells: [Int: @Sendable () -> Void] = [:]

    /// Removes and returns all readers and bells that wait for a publication.
    mutating func takeWaiting() -> (waiting: [Int: Waiter], bells: [Int: @Sendable () -> Void]) {
      defer { (waiting, bells) = ([:], [:]) }
      return (waiting, bells)
    }
  }

  private let state: Mutex<State>

  /// Publications of which none has happened yet.
  init(capacity: Int) { state = Mutex(State(log: PublicationLog(capacity: capacity))) }

  /// Publications that begin with a value; the last value is always kept.
  convenience init(beginningWith value: Value) {
    var log = PublicationLog<Value>(capacity: 1)
    _ = log.append(value)
    self.init(keepingTheLastOf: log)
  }

  /// Publications of which none has happened yet, and whose last value is always kept.
  static func keepingTheLast() -> Self { Self(keepingTheLastOf: PublicationLog(capacity: 1)) }

  private init(keepingTheLastOf log: PublicationLog<Value>) { state = Mutex(State(log: log, marks: 1)) }

  /// How many readers have subscribed.
  var subscriberCount: Int { state.withLock { $0.subscribers } }
  /// How many bells are armed.
  var bellCount: Int { state.withLock { $0.bells.count } }
  /// How many are told of what is published.
  var listenerCount: Int { state.withLock { $0.subscribers + $0.bells.count } }
  /// The last value that is kept.
  var last: Value? { newest?.value }
  /// The same, with its position.
  var newest: Publication<Value>? {
    state.withLock { state in state.log.last.map { Publication(position: state.log.position, value: $0) } }
  }

  // MARK: Publishing

  func publish(_ value: Value) {
    let (position, told, dropped) = state.withLock { state in
      var dropped: Value?
      if state.marks > 0 { dropped = state.log.append(value) } else { state.log.skip() }
      return (state.log.position, state.takeWaiting(), dropped)
    }
    withExtendedLifetime(dropped) { tell(told, Publication(position: position, value: value)) }
  }

  /// Changes the last value in place and publishes the result, in one step; does nothing if no value is kept.
  func amend(_ change: (inout Value) -> Void) {
    let (publication, told) = state.withLock { state in
      let value = state.log.amend(change)
      let publication = value.map { Publication(position: state.log.position, value: $0) }
      return (publication, publication == nil ? ([:], [:]) : state.takeWaiting())
    }
    if let publication { tell(told, publication) }
  }

  private func tell(
    _ told: (waiting: [Int: Waiter], bells: [Int: @Sendable () -> Void]),
    _ publication: Publication<Value>
  ) {
    // A reader waits only once it has read every earlier publication.
    for waiter in told.waiting.values { waiter.resume(returning: publication) }
    for ring in told.bells.values { ring() }
  }

  // MARK: Keeping values

  /// Keeps values from here on.
  ///
  /// - Returns: the present position.
  fileprivate func keep() -> UInt64 {
    state.withLock { state in
      state.marks += 1
      return state.log.position
    }
  }

  fileprivate func release() {
    let dropped = state.withLock { state in
      state.marks -= 1
      return state.marks == 0 ? state.log.forget() : []
    }
    withExtendedLifetime(dropped) {}
  }

  /// Takes back what was published: readers that begin now wait for the next value.
  func retract() {
    let dropped = state.withLock { $0.log.forget() }
    withExtendedLifetime(dropped) {}
  }

  // MARK: Reading

  /// Gives a new reader the number under which it waits.
  ///
  /// A number, and not the reader's address: readers made in the same order are resumed in the same order, run after
  /// run.
  func makeReaderNumber() -> Int {
    state.withLock { state in
      state.lastReader += 1
      return state.lastReader
    }
  }

  func noteSubscriber() { state.withLock { $0.subscribers += 1 } }
  func forgetSubscriber() { state.withLock { $0.subscribers -= 1 } }

  /// The oldest kept publication after a position.
  func first(after position: UInt64) -> Publication<Value>? {
    state.withLock { state in
      state.log.first(after: position).map { Publication(position: $0.position, value: $0.value) }
    }
  }

  /// Waits for the first publication after a position; nil if the task is cancelled.
  func next(after position: UInt64, for reader: Int) async -> Publication<Value>? {
    if Task.isCancelled { return nil }
    if let publication = first(after: position) { return publication }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(after: position, for: reader, $0) }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: reader) }?.resume(returning: nil)
    }
  }

  private func wait(after position: UInt64, for reader: Int, _ waiter: Waiter) {
    let (isOver, publication): (Bool, Publication<Value>?) = state.withLock { state in
      if let (position, value) = state.log.first(after: position) {
        return (true, Publication(position: position, value: value))
      }
      // A task is marked as cancelled before its handler runs: either this check sees the mark, or the handler finds
      // the waiter.
      if Task.isCancelled { return (true, nil) }
      precondition(state.waiting[reader] == nil, "one task at a time may wait for what is published")
      state.waiting[reader] = waiter
      return (false, nil)
    }
    if isOver { waiter.resume(returning: publication) }
  }

  // MARK: Bells

  /// Calls `ring` once, at the first publication after a position; within this call if there was one already.
  ///
  /// - Returns: a closure that disarms the bell.
  func arm(after position: UInt64, _ ring: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let number: Int? = state.withLock { state in
      guard state.log.position <= position else { return nil }
      state.lastBell += 1
      state.bells[state.lastBell] = ring
      return state.lastBell
    }
    guard let number else {
      ring()
      return {}
    }
    return { [self] in
      let dropped = state.withLock { $0.bells.removeValue(forKey: number) }
      withExtendedLifetime(dropped) {}
    }
  }
}

/// A position; while the mark exists, values published after it are kept, as far as the capacity allows.
final class PublicationMark<Value: Sendable>: Sendable {
  let publications: Publications<Value>
  let position: UInt64

  /// Marks the present position.
  init(in publications: Publications<Value>) {
    self.publications = publications
    position = publications.keep()
  }

  deinit { publications.release() }
}
