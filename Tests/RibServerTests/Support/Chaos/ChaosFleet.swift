import Foundation
import RibTestSupport
import Synchronization

/// A thread that some of the clients live on.
final class ChaosFleet: Sendable {
  let clients: [ChaosClient]
  private let isFinishing = Atomic(false)
  private let isOver = Atomic(false)
  private let settled = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameter clients: those whose thread it is.
  init(_ clients: [ChaosClient]) {
    self.clients = clients
    BlockingThread.start { [self] in
      var run = Run(clients)
      var hasSettled = false
      while !isOver.load(ordering: .acquiring) {
        run.step(isFinishing: isFinishing.load(ordering: .acquiring))
        if !hasSettled, clients.allSatisfy(\.isSettled) {
          hasSettled = true
          settled.signal()
        }
      }
      ended.signal()
    }
  }

  /// Has the clients send nothing new.
  func finish() { isFinishing.store(true, ordering: .releasing) }

  /// Waits until all clients have heard all, and ends the thread.
  ///
  /// - Returns: whether they did in time.
  func waitForAll(within seconds: Int) -> Bool {
    let result = settled.wait(timeout: .now() + .seconds(seconds))
    isOver.store(true, ordering: .releasing)
    ended.wait()
    return result == .success
  }

  /// What the thread keeps.
  private struct Run: ~Copyable {
    private let clients: [ChaosClient]
    private var set = DescriptorSet()
    private var agenda = Agenda()
    /// The highest connection of each client that is waited for.
    private var known: [Int]
    private var storage = [UInt8](repeating: 0, count: 65_536)
    private var isFinishing = false

    init(_ clients: [ChaosClient]) {
      self.clients = clients
      known = Array(repeating: 0, count: clients.count)
      for index in clients.indices { agenda.add(index, at: milliseconds() + index * 10) }
    }

    mutating func step(isFinishing: Bool) {
      let ready = set.wait(agenda.pause)
      let now = milliseconds()
      for event in ready {
        let (index, number) = (event.id >> 32, event.id & 0xFFFF_FFFF)
        if event.canWrite, let descriptor = clients[index].hasRoom(number) {
          set.change(descriptor, as: event.id, forRoom: false)
        }
        if event.canRead { clients[index].receive(number, &storage, at: now) }
        watch(index)
      }
      if isFinishing, !self.isFinishing {
        self.isFinishing = true
        for index in clients.indices { agenda.add(index, at: now) }
      }
      for index in Set(agenda.take(at: now)) {
        if let next = clients[index].tick(at: now, isFinishing: isFinishing) { agenda.add(index, at: next) }
        watch(index)
      }
    }

    /// Waits for connections that are new, and until they are there.
    private mutating func watch(_ index: Int) {
      let client = clients[index]
      while known[index] < client.linkNumber {
        known[index] += 1
        let number = known[index]
        let link = number == client.linkNumber ? client.link : client.zombies[number]?.link
        if let link { set.add(link.descriptor, as: index << 32 | number, forRoom: true) }
      }
    }
  }
}
