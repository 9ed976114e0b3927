import Logging
import Synchronization

/// Keeps the process within a number of bytes, by default three quarters of what it may have.
///
/// Beyond it, sessions in which nothing happens leave memory, the ones that have waited longest first, and there are no new ones.
///
/// What counts is what the process has of the machine's memory. Where the system does not tell, there is no ceiling.
struct MemoryCeiling: Sendable {
  /// How often it looks, in seconds.
  private static let interval = 1
  /// How many sessions may come into memory between two looks while there is too much in it.
  static let loadsPerLook = 64

  private let context: ServerContext
  private let loops: [EventLoop]
  private let limit: Int

  /// A ceiling; nil if the settings want none, or the machine does not say what it has.
  ///
  /// - Parameters:
  ///   - context: the server's.
  ///   - loops: its loops.
  init?(_ context: ServerContext, _ loops: [EventLoop]) {
    guard let limit = context.settings.limits.memoryCeiling(of: MachineMemory.bytes()) else { return nil }
    self.context = context
    self.loops = loops
    self.limit = limit
  }

  /// Looks now, and again and again.
  func start() { loops[0].execute { look() } }

  private func look() {
    guard !loops[0].isStopping else { return }
    defer { loops[0].execute(after: .seconds(Self.interval)) { look() } }
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
