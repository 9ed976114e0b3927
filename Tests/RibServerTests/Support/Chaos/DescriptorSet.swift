import Foundation

#if os(Linux)
  import CLinux
#endif

/// Sockets that one thread waits for together.
///
/// Each is waited for until it has something to say, and for room as well if that is asked for. A number stands for it: a
/// descriptor may be used again while events of its predecessor are still handled.
struct DescriptorSet: ~Copyable {
  struct Ready {
    let id: Int
    let canRead: Bool
    let canWrite: Bool
  }

  #if os(Linux)
    private let set = epoll_create1(Int32(EPOLL_CLOEXEC))
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    deinit { close(set) }

    /// Waits for a socket from here on, until it is closed.
    mutating func add(_ descriptor: Int32, as id: Int, forRoom: Bool = false) {
      control(EPOLL_CTL_ADD, descriptor, id, forRoom)
    }

    /// Waits for room as well, or no more.
    mutating func change(_ descriptor: Int32, as id: Int, forRoom: Bool, reads: Bool = true) {
      control(EPOLL_CTL_MOD, descriptor, id, forRoom, reads: reads)
    }

    /// Waits for a socket no more.
    mutating func remove(_ descriptor: Int32) { epoll_ctl(set, EPOLL_CTL_DEL, descriptor, nil) }

    private func control(_ operation: Int32, _ descriptor: Int32, _ id: Int, _ forRoom: Bool, reads: Bool = true) {
      var event = epoll_event()
      event.events = (reads ? UInt32(EPOLLIN.rawValue) : 0) | (forRoom ? UInt32(EPOLLOUT.rawValue) : 0)
      event.data.u64 = UInt64(id)
      epoll_ctl(set, operation, descriptor, &event)
    }

    /// What is ready within so many milliseconds.
    mutating func wait(_ milliseconds: Int) -> [Ready] {
      let count = epoll_wait(set, &events, Int32(events.count), Int32(milliseconds))
      guard count > 0 else { return [] }
      return events[..<Int(count)].map { event in
        let failed = event.events & UInt32(EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
        return Ready(
          id: Int(event.data.u64), canRead: failed || event.events & UInt32(EPOLLIN.rawValue) != 0,
          canWrite: event.events & UInt32(EPOLLOUT.rawValue) != 0)
      }
    }
  #else
    private var entries: [Int32: (id: Int, events: Int16)] = [:]

    /// Waits for a socket from here on, until it is closed.
    mutating func add(_ descriptor: Int32, as id: Int, forRoom: Bool = false) {
      change(descriptor, as: id, forRoom: forRoom)
    }

    /// Waits for room as well, or no more.
    mutating func change(_ descriptor: Int32, as id: Int, forRoom: Bool, reads: Bool = true) {
      entries[descriptor] = (id, Int16((reads ? POLLIN : 0) | (forRoom ? POLLOUT : 0)))
    }

    /// Waits for a socket no more.
    mutating func remove(_ descriptor: Int32) { entries[descriptor] = nil }

    /// What is ready within so many milliseconds.
    mutating func wait(_ milliseconds: Int) -> [Ready] {
      var polled = entries.map { pollfd(fd: $0.key, events: $0.value.events, revents: 0) }
      guard poll(&polled, nfds_t(polled.count), Int32(milliseconds)) > 0 else { return [] }
      var ready: [Ready] = []
      for entry in polled where entry.revents != 0 {
        guard let id = entries[entry.fd]?.id else { continue }
        if Int32(entry.revents) & POLLNVAL != 0 {
          // It was closed.
          entries[entry.fd] = nil
        } else {
          let canRead = Int32(entry.revents) & (POLLIN | POLLHUP | POLLERR) != 0
          ready.append(Ready(id: id, canRead: canRead, canWrite: Int32(entry.revents) & POLLOUT != 0))
        }
      }
      return ready
    }
  #endif
}

/// Milliseconds since the machine was started.
func milliseconds() -> Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
