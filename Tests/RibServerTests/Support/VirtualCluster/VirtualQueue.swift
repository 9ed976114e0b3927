@testable import RibServer

/// A queue of a node in virtual time.
///
/// `@unchecked Sendable`: one thread does everything.
final class VirtualQueue: JobQueue, @unchecked Sendable {
  private let name: String
  private unowned let node: VirtualNode
  private var jobs: [@Sendable () -> Void] = []
  private var isRunning = false
  private var poller: VirtualPoller?

  init(_ name: String, of node: VirtualNode) { (self.name, self.node) = (name, node) }

  func add(_ job: @escaping @Sendable () -> Void) {
    jobs.append(job)
    node.after(0) { [self] in if !jobs.isEmpty { enter(jobs.removeFirst()) } }
  }

  func add(after nanoseconds: UInt64, _ job: @escaping @Sendable () -> Void) {
    node.after(nanoseconds) { [self] in add(job) }
  }

  func run(_ body: () -> Void) {
    while !jobs.isEmpty { enter(jobs.removeFirst()) }
    enter(body)
  }

  func preconditionCurrent() { precondition(isRunning, "not in a job of the queue") }

  func makePoller(_ setup: PollerSetup) throws(SystemError) -> any Poller {
    let poller = VirtualPoller(setup, of: node, on: self)
    self.poller = poller
    return poller
  }

  /// Does something that is the queue's to do.
  func enter(_ body: () -> Void) {
    precondition(!isRunning, "a job waits for its own queue")
    isRunning = true
    body()
    isRunning = false
    poller?.deliver()
    if name == "ribserver.cluster" { node.didBeat() }
  }
}
