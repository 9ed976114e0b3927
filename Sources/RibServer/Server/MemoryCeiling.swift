import Logging
import Synchronization

/// Keeps the process within a number of bytes, by default three quarters of what it may have.
///
/// Beyond it, sessions in which nothing happens leave memory, the ones that have waited longest first, and there are no new ones.
///
/// What counts is what the process has of the machine's memory. Where the system does not tell, there is no ceiling.
final class MemoryCeiling: Sendable {
  /// How often it looks, in seconds.
  private static let interval = 1
  /// How many sessions may come into memory between two looks while there is too much in it.
  static let loadsPerLook = 64

  private let context: ServerContext
  private let loops: [EventLoop]
  /// The bytes that the process may have at most; nil if the machine does not say.
  private let memory = MachineMemory.bytes()
  /// Whether a look is planned; only touched on the first loop.
  private let isLooking = Atomic(false)

  /// A ceiling, as high as the settings say at each look.
  ///
  /// - Parameters:
  ///   - context: the server's.
  ///   - loops: its loops.
  init(_ context: ServerContext, _ loops: [EventLoop]) {
    self.context = context
    self.loops = loops
  }

  /// Looks now, and again and again, unless it does already.
  func start() {
    loops[0].execute { [self] in if !isLooking.exchange(true, ordering: .relaxed) { look() } }
  }

  private func look() {
    guard !loops[0].isStopping else { return }
    // Without a ceiling, or where the machine does not say what it has, nothing is looked at until the next start.
    guard let limit = loops[0].work.rules.settings.limits.memoryCeiling(of: memory) else {
      context.isOverMemory.store(false, ordering: .relaxed)
      isLooking.store(false, ordering: .relaxed)
      return
    }
    defer { loops[0].execute(after: .seconds(Self.interval)) { [self] in look() } }
    guard let resident = residentBytes() else { return }
    let isOver = resident > limit
    // Sessions for which a client waits still come back, but no faster than others can leave.
    context.loadBudget.store(Self.loadsPerLook, ordering: .relaxed)
    let wasOver = context.isOverMemory.exchange(isOver, ordering: .relaxed)
    if isOver != wasOver {
      context.logger.warning(
        isOver ? "The server has more memory than it may have." : "The server is within its memory again.",
        metadata: ["megabytes": "\(resident >> 20)", "limit": "\(limit >> 20)"])
    }
    guard isOver else { return }
    for loop in loops { loop.execute { loop.restLongestIdle() } }
    releaseFreeMemory()
  }
}
