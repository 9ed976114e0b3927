import Foundation
import RibTestSupport
import Synchronization

/// A proxy for TCP that delays, stalls, cuts and refuses, as a seed says: the network between a client and a server at its
/// worst.
///
/// One thread does everything. What is sent into a stall is taken and kept, as by a network that has lost its way: the
/// sender notices nothing but silence, and what it said may arrive long after it has gone and come back elsewhere.
final class FaultyProxy: Sendable {
  let port: Int
  private let listener: Int32
  private let targets: Mutex<[Int]>
  private let seed: UInt64
  private let faultless: Double
  private let counts = Mutex(FaultCounts())
  private let outage = Mutex<NetworkOutage?>(nil)
  private let isClosed = Atomic(false)
  private let isCalm = Atomic(false)
  private let isOver = Atomic(false)
  private let ended = DispatchSemaphore(value: 0)

  /// Listens.
  ///
  /// - Parameters:
  ///   - targets: the servers' ports, on this machine: each link goes to any.
  ///   - seed: what happens comes of it.
  ///   - faultless: how many links do what they should, of one.
  init(to targets: [Int], seed: UInt64, faultless: Double = 0) {
    self.faultless = faultless
    while true {
      guard let socket = LocalSocket.listen(at: LocalSocket.freePort()) else { continue }
      (listener, port) = socket
      break
    }
    self.targets = Mutex(targets)
    self.seed = seed
    BlockingThread.start { [self] in
      var run = Run(self)
      while !isOver.load(ordering: .acquiring) { run.step() }
      run.end()
      ended.signal()
    }
  }

  /// What it has done so far.
  var faultCounts: FaultCounts { counts.withLock { $0 } }

  /// Has new links go elsewhere.
  ///
  /// - Parameter targets: the servers' ports.
  func turn(to targets: [Int]) { self.targets.withLock { $0 = targets } }

  /// Has nothing pass for a while, from the end of the call on; an outage before is over then.
  ///
  /// - Parameter outage: how long, and of whom.
  func fail(_ outage: NetworkOutage) {
    self.outage.withLock { $0 = outage }
    while self.outage.withLock({ $0 != nil }), !isOver.load(ordering: .acquiring) { Poll.pauseThread() }
  }

  /// Listens no more, or again: whoever connects is refused, as by a server that is not there.
  func setListening(_ isListening: Bool) { isClosed.store(!isListening, ordering: .releasing) }

  /// From here on it passes on everything, what it has kept as well.
  func calmDown() { isCalm.store(true, ordering: .releasing) }

  /// Ends all links, and listens no more.
  func stop() {
    isOver.store(true, ordering: .releasing)
    ended.wait()
  }

  /// What the thread keeps.
  private struct Run: ~Copyable {
    private let proxy: FaultyProxy
    private var set = DescriptorSet()
    private var agenda = Agenda()
    private var links: [Int: FaultyLink] = [:]
    private var lastID = 0
    /// Nil if it does not listen.
    private var listener: Int32?
    private var isCalm = false
    private var outage: NetworkOutage?
    private var outageEnd = 0
    private var now = milliseconds()
    private var storage = [UInt8](repeating: 0, count: 65_536)

    init(_ proxy: FaultyProxy) {
      self.proxy = proxy
      listener = proxy.listener
      set.add(proxy.listener, as: 0)
    }

    mutating func step() {
      let ready = set.wait(agenda.pause)
      now = milliseconds()
      if !isCalm, proxy.isCalm.load(ordering: .acquiring) { calmDown() }
      if let next = proxy.outage.withLock({ $0.take() }) {
        endOutage()
        if next.milliseconds > 0, !isCalm { begin(next) }
      } else if outage != nil, outageEnd <= now {
        endOutage()
      }
      let isClosed = proxy.isClosed.load(ordering: .acquiring) || outage?.isRefusal == true
      if isClosed == (listener != nil) { changeListener() }
      for event in ready {
        if event.id == 0 {
          while let listener, let client = LocalSocket.accept(listener) { open(client) }
          continue
        }
        guard let link = links[event.id / 2] else { continue }
        let way = event.id % 2
        if event.canWrite { makeRoom(link, 1 - way) }
        if event.canRead { receive(link, way) }
      }
      for id in agenda.take(at: now) {
        guard let link = links[id] else { continue }
        if let end = link.stallEnd, end <= now { endStall(link) }
        forward(link, 0)
        forward(link, 1)
      }
    }

    mutating func end() {
      for link in links.values { drop(link) }
      if let listener { close(listener) }
    }

    private mutating func changeListener() {
      if let listener {
        close(listener)
        self.listener = nil
      } else if let (descriptor, _) = LocalSocket.listen(at: proxy.port) {
        listener = descriptor
        set.add(descriptor, as: 0)
      }
    }

    private mutating func open(_ client: Int32) {
      lastID += 1
      var random = SeededGenerator(seed: proxy.seed, stream: UInt64(lastID))
      let isFaultless = isCalm || proxy.faultless > 0 && random.happens(proxy.faultless)
      let faults = isFaultless ? .none : LinkFaults(&random)
      proxy.counts.withLock { counts in
        counts.links += 1
        if faults.isRefused { counts.refusals += 1 }
      }
      let isOut = outage?.concerns("") == true
      if faults.isRefused || isOut && outage?.isTold == true { return LocalSocket.reset(client) }
      let target = proxy.targets.withLock { [lastID] in $0[lastID % $0.count] }
      let link = FaultyLink(lastID, client, LocalSocket.connect(to: target), faults, random)
      links[link.id] = link
      set.add(link.client, as: 2 * link.id)
      set.add(link.server, as: 2 * link.id + 1, forRoom: true)
      // Until it is connected.
      link.ways[0].isFull = true
      if isOut { silence(link) }
    }

    // MARK: Bytes

    private mutating func receive(_ link: FaultyLink, _ way: Int) {
      switch LocalSocket.receive(link.source(way), into: &storage) {
      case .nothing: break
      case .broken where link.isOut:
        // The other end hears of it once the network is there again.
        set.remove(link.source(way))
        link.ways[way].hasEnded = true
        link.ways[1 - way].isFull = false
      case .broken: drop(link)
      case .end:
        // It says so without being asked once both ways are shut.
        if link.ways[way].hasEnded { return set.remove(link.source(way)) }
        link.ways[way].hasEnded = true
        // Else it would be reported again and again.
        set.change(link.source(way), as: 2 * link.id + way, forRoom: link.ways[1 - way].isFull, reads: false)
        forward(link, way)
      case .bytes(var bytes):
        guard !link.ways[way].isLast else { return }
        if way == 0, link.head.isEmpty {
          link.head = String(decoding: bytes.prefix(2048), as: UTF8.self)
          if let outage, outage.mark != nil, outage.concerns(link.head) {
            strike(link)
            guard links[link.id] != nil else { return }
          }
        }
        if !isCalm, let cut = link.faults.cut, link.byteCount + bytes.count >= cut {
          bytes = bytes.prefix(max(cut - link.byteCount, 0))
          link.ways[way].isLast = true
        }
        link.byteCount += bytes.count
        beginStall(link)
        // Bytes do not overtake each other.
        let delay = isCalm || link.faults.delay == 0 ? 0 : Int.random(in: 0...link.faults.delay, using: &link.random)
        let due = max(now + delay, link.ways[way].chunks.last?.due ?? 0)
        link.ways[way].chunks.append((due, ArraySlice(Array(bytes))))
        if due > now { agenda.add(link.id, at: due + 4) } else { forward(link, way) }
      }
    }

    private mutating func makeRoom(_ link: FaultyLink, _ way: Int) {
      guard links[link.id] != nil, link.ways[way].isFull else { return }
      link.ways[way].isFull = false
      set.change(
        link.ways[way].target, as: link.ways[way].targetID, forRoom: false, reads: !link.ways[1 - way].hasEnded)
      forward(link, way)
    }

    private mutating func forward(_ link: FaultyLink, _ way: Int) {
      guard links[link.id] != nil, !link.ways[way].isStalled, !link.ways[way].isFull else { return }
      while let chunk = link.ways[way].chunks.first, chunk.due <= now {
        guard let count = LocalSocket.send(link.ways[way].target, chunk.bytes) else { return drop(link) }
        guard count == chunk.bytes.count else {
          link.ways[way].chunks[0].bytes = chunk.bytes.dropFirst(count)
          link.ways[way].isFull = true
          set.change(
            link.ways[way].target, as: link.ways[way].targetID, forRoom: true, reads: !link.ways[1 - way].hasEnded)
          return
        }
        link.ways[way].chunks.removeFirst()
      }
      guard link.ways[way].chunks.isEmpty else { return }
      if link.ways[way].isLast { return cut(link) }
      guard link.ways[way].hasEnded, !link.ways[way].isShut else { return }
      link.ways[way].isShut = true
      shutdown(link.ways[way].target, Int32(SHUT_WR))
      if link.ways[1 - way].isShut { drop(link) }
    }

    // MARK: Faults

    private mutating func beginStall(_ link: FaultyLink) {
      guard !isCalm, !link.hasStalled, let stall = link.faults.stall, link.byteCount >= stall.start else { return }
      link.hasStalled = true
      link.ways[0].isStalled = stall.way != .down
      link.ways[1].isStalled = stall.way != .up
      let end = now + stall.milliseconds
      link.stallEnd = end
      agenda.add(link.id, at: end + 4)
      proxy.counts.withLock { $0.stalls += 1 }
    }

    private mutating func endStall(_ link: FaultyLink) {
      guard let stall = link.faults.stall else { return }
      link.stallEnd = nil
      guard stall.goesOn || isCalm else { return cut(link) }
      if link.ways.contains(where: { $0.isStalled && !$0.chunks.isEmpty }) {
        proxy.counts.withLock { $0.lateDeliveries += 1 }
      }
      for way in 0...1 {
        link.ways[way].isStalled = false
        forward(link, way)
      }
    }

    private mutating func begin(_ next: NetworkOutage) {
      (outage, outageEnd) = (next, now + next.milliseconds)
      for link in links.values where next.concerns(link.head) { strike(link) }
    }

    private mutating func strike(_ link: FaultyLink) {
      guard outage?.isTold == true else { return silence(link) }
      reset(link)
    }

    private func silence(_ link: FaultyLink) {
      link.isOut = true
      for way in 0...1 { link.ways[way].isStalled = true }
    }

    private mutating func endOutage() {
      guard let outage else { return }
      self.outage = nil
      for link in links.values where link.isOut {
        link.isOut = false
        guard outage.goesOn else {
          reset(link)
          continue
        }
        for way in 0...1 {
          link.ways[way].isStalled = link.stallEnd != nil
          forward(link, way)
        }
      }
    }

    private mutating func calmDown() {
      isCalm = true
      endOutage()
      for link in links.values {
        if link.stallEnd != nil { endStall(link) }
        agenda.add(link.id, at: now)
      }
    }

    private mutating func cut(_ link: FaultyLink) {
      proxy.counts.withLock { $0.cuts += 1 }
      if link.faults.isReset { reset(link) } else { drop(link) }
    }

    private mutating func reset(_ link: FaultyLink) {
      guard links.removeValue(forKey: link.id) != nil else { return }
      LocalSocket.reset(link.client)
      LocalSocket.reset(link.server)
    }

    private mutating func drop(_ link: FaultyLink) {
      guard links.removeValue(forKey: link.id) != nil else { return }
      close(link.client)
      close(link.server)
    }
  }
}
