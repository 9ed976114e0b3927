@testable import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells of real descriptors, some time after something was sent to them.
final class VirtualPoller: Poller {
  private unowned let node: VirtualNode
  private unowned let queue: VirtualQueue
  private let setup: PollerSetup
  // What is watched, by its number; of what is not watched any more there is no descriptor. All are looked at often, so they lie as the
  // system wants them.
  private var watched: [pollfd] = []
  private var targets: [(any PollTarget)?] = []
  /// The other ends of the same.
  private var others: [pollfd] = []
  private var willLook = false
  /// The descriptor that is being closed, unless it is watched again instead.
  private var leaving: Int32?

  init(_ setup: PollerSetup, of node: VirtualNode, on queue: VirtualQueue) {
    (self.setup, self.node, self.queue) = (setup, node, queue)
    node.pollers.append(self)
  }

  func watch(_ descriptor: Int32, for interest: Interest, _ target: any PollTarget) throws(SystemError) -> Int {
    if leaving == descriptor { leaving = nil }
    watched.append(pollfd(fd: descriptor, events: Self.events(interest), revents: 0))
    others.append(pollfd(fd: node.network.ends[descriptor]?.other ?? -1, events: Int16(POLLIN), revents: 0))
    targets.append(target)
    node.network.ends[descriptor]?.poller = self
    lookSoon()
    return targets.count - 1
  }

  func change(_ watch: Int, to interest: Interest) {
    watched[watch].events = Self.events(interest)
    if interest.contains(.writing) { lookSoon() }
  }

  func unwatch(_ watch: Int, _ done: @escaping (Int32) -> Void) {
    guard targets[watch] != nil else { return }
    let descriptor = watched[watch].fd
    (watched[watch].fd, others[watch].fd, targets[watch]) = (-1, -1, nil)
    leaving = descriptor
    done(descriptor)
    if leaving != nil { node.network.didClose(descriptor) }
    leaving = nil
  }

  func wake() -> Bool { false }

  func cancel() { (watched, others, targets) = ([], [], []) }

  /// Closes all descriptors, as the end of a process does.
  func closeAll() {
    for number in targets.indices { unwatch(number) { closeDescriptor($0) } }
  }

  /// Looks at all descriptors once what is on its way has come.
  func lookSoon() {
    guard !willLook else { return }
    willLook = true
    node.after(node.network.latency()) { [self] in
      willLook = false
      queue.enter { look() }
    }
  }

  private func look() {
    guard poll(&watched, nfds_t(watched.count), 0) > 0 else { return }
    _ = setup.willHandle()
    for number in watched.indices where watched[number].revents != 0 {
      let events = Int32(watched[number].revents)
      guard let target = targets[number], !node.network.pending.contains(watched[number].fd) else { continue }
      var readiness: Readiness = []
      if events & Int32(POLLIN) != 0 {
        readiness.insert(.readable)
        // A listener accepts one at a time; more may wait.
        if !node.network.count(watched[number].fd) { lookSoon() }
      }
      if events & Int32(POLLOUT) != 0 { readiness.insert(.writable) }
      if events & Int32(POLLHUP | POLLERR) != 0 { readiness.insert(.hungUp) }
      target.ready(readiness)
    }
    setup.didHandle()
  }

  /// Has the nodes look to which something was sent.
  func deliver() {
    guard poll(&others, nfds_t(others.count), 0) > 0 else { return }
    for entry in others where entry.revents != 0 { node.network.ends[entry.fd]?.poller?.lookSoon() }
  }

  private static func events(_ interest: Interest) -> Int16 {
    Int16((interest.contains(.reading) ? POLLIN : 0) | (interest.contains(.writing) ? POLLOUT : 0))
  }
}
