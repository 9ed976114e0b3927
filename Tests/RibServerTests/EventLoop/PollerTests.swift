import Dispatch
import Synchronization
import Testing

@testable import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a poller promises, whichever it is.
@Suite struct PollerTests {
  enum Kind: CaseIterable, Sendable { case epoll, dispatch }

  /// `@unchecked Sendable`: touched on the queue only; the test looks at it through `queue.sync`.
  private final class Target: PollTarget, @unchecked Sendable {
    var seen: [Readiness] = []
    var onReady: (Readiness) -> Void = { _ in }
    func ready(_ readiness: Readiness) {
      seen.append(readiness)
      onReady(readiness)
    }
  }

  /// `@unchecked Sendable`: a poller is called on its queue, which the closures given to `queue.sync` are on.
  private final class Fixture: @unchecked Sendable {
    let queue = DispatchQueue(label: "poller.test")
    let jobs = JobCounter()
    let poller: any Poller
    let ends: (Int32, Int32)

    // `willHandle` says the time, in nanoseconds.
    init(_ kind: Kind, willHandle: @escaping () -> UInt64 = { 0 }) throws {
      poller = try queue.makePoller(
        PollerSetup(linger: 1, usesEpoll: kind == .epoll, jobs: jobs, willHandle: willHandle, didHandle: {}))
      var pair: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
      for end in pair { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      ends = (pair[0], pair[1])
    }

    /// Ends the poller, while its handler makes way; what its target holds is let go, so that nothing watches on.
    func end(_ target: Target) {
      queue.sync {
        target.onReady = { _ in }
        poller.cancel()
      }
      close(ends.1)
    }

    deinit { queue.sync { poller.cancel() } }
  }

  @Test(arguments: Kind.allCases)
  func readable_isReportedUntilItIsRead(_ kind: Kind) async throws {
    let fixture = try Fixture(kind)
    let target = Target()
    await withCheckedContinuation { continuation in
      fixture.queue.sync {
        target.onReady = { _ in
          // Level-triggered: what is left alone comes again.
          guard target.seen.count == 3 else { return }
          var byte: UInt8 = 0
          _ = read(fixture.ends.0, &byte, 1)
          continuation.resume()
        }
        _ = try? fixture.poller.watch(fixture.ends.0, for: .reading, target)
      }
      _ = write(fixture.ends.1, "x", 1)
    }
    fixture.queue.sync { #expect(target.seen.allSatisfy { $0 == .readable }) }
    fixture.end(target)
  }

  @Test(arguments: Kind.allCases)
  func interest_decidesWhatIsReported(_ kind: Kind) async throws {
    let fixture = try Fixture(kind)
    let target = Target()
    _ = write(fixture.ends.1, "x", 1)
    let watch = try fixture.queue.sync { try fixture.poller.watch(fixture.ends.0, for: [], target) }
    await withCheckedContinuation { continuation in
      fixture.queue.sync {
        target.onReady = { readiness in
          fixture.poller.change(watch, to: readiness.contains(.writable) ? .reading : [])
          if readiness.contains(.readable) { continuation.resume() }
        }
        fixture.poller.change(watch, to: .writing)
      }
    }
    fixture.queue.sync { #expect(target.seen == [.writable, .readable]) }
    fixture.end(target)
  }

  @Test(arguments: Kind.allCases)
  func unwatch_letsGoOfTheDescriptorAndCallsNoMore(_ kind: Kind) async throws {
    let fixture = try Fixture(kind)
    let target = Target()
    _ = write(fixture.ends.1, "x", 1)
    try fixture.queue.sync {
      let watch = try fixture.poller.watch(fixture.ends.0, for: .reading, target)
      fixture.poller.unwatch(watch) { close($0) }
    }
    // The other end sees the close: reading there ends.
    var entry = pollfd(fd: fixture.ends.1, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 5000) == 1)
    fixture.queue.sync { #expect(target.seen.isEmpty) }
    close(fixture.ends.1)
  }

  /// A handler that finds something all the time makes way for jobs and timers, and goes on behind them; once the poller has ended
  /// it does not.
  @Test(.timeLimit(.minutes(5)), arguments: Kind.allCases)
  func busyHandler_makesWay(_ kind: Kind) async throws {
    // Each batch has taken longer than a turn may last.
    var time: UInt64 = 0
    let fixture = try Fixture(kind) {
      time += 11_000_000
      return time
    }
    let target = Target()
    _ = write(fixture.ends.1, "x", 1)
    _ = try fixture.queue.sync { try fixture.poller.watch(fixture.ends.0, for: .reading, target) }
    var counts: [Int] = []
    for round in 0..<20 {
      await withCheckedContinuation { continuation in
        fixture.queue.asyncAfter(deadline: .now() + .nanoseconds(round % 2)) { continuation.resume() }
      }
      await withCheckedContinuation { continuation in
        fixture.queue.sync {
          let count = target.seen.count
          target.onReady = { _ in
            target.onReady = { _ in }
            counts.append(count)
            continuation.resume()
          }
        }
      }
    }
    fixture.queue.sync {
      #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
      fixture.poller.cancel()
    }
    let count = fixture.queue.sync { target.seen.count }
    for _ in 0..<10 { fixture.queue.sync {} }
    fixture.queue.sync { #expect(target.seen.count == count) }
    fixture.end(target)
  }

  #if os(Linux)
    /// It goes on behind what waited when it made way, and before what was enqueued since: the source would come later.
    @Test(.timeLimit(.minutes(5))) func busyHandler_goesOnBehindWhatWaited() async throws {
      var time: UInt64 = 0
      let fixture = try Fixture(.epoll) {
        time += 11_000_000
        return time
      }
      let target = Target()
      _ = write(fixture.ends.1, "x", 1)
      let (before, after) = await withCheckedContinuation { continuation in
        fixture.queue.sync {
          target.onReady = { _ in
            // The batch behind which the handler makes way.
            guard target.seen.count == 2 else { return }
            fixture.queue.async {
              let before = target.seen.count
              fixture.queue.async { continuation.resume(returning: (before, target.seen.count)) }
            }
          }
          _ = try? fixture.poller.watch(fixture.ends.0, for: .reading, target)
        }
      }
      #expect(before == 2)
      #expect(after > before)
      fixture.end(target)
    }
  #endif

  /// In milliseconds.
  private static let linger = 120_000

  /// A loop whose handler lingers, or soon will, and an end of what it watches.
  private func makeLingeringLoop(_ target: Target, for linger: Int = linger) async throws -> (EventLoop, Int32) {
    let loop = try EventLoop(name: "linger.test", linger: linger, usesEpoll: true, messageLimit: 1)
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
    let end = pair[0]
    await withCheckedContinuation { continuation in
      loop.execute {
        target.onReady = { _ in
          var byte: UInt8 = 0
          _ = read(end, &byte, 1)
          // That the other end is closed is told as well, if the loop still hears of it.
          target.onReady = { _ in }
          continuation.resume()
        }
        _ = try? loop.watch(end, for: .reading, target)
      }
      _ = write(pair[1], "x", 1)
    }
    return (loop, pair[1])
  }

  /// Answers of the store are told at once whether the handler lingers, is about to, or has ended; in order, and all of them.
  @Test(.timeLimit(.minutes(5)), arguments: [linger, 1, 0])
  func answers_doNotWaitForALingeringHandler(linger: Int) async throws {
    let target = Target()
    let (loop, end) = try await makeLingeringLoop(target, for: linger)
    let count = 3000
    let told = Mutex<[[Int]]>([[], []])
    let answer = { @Sendable (thread: Int, number: Int) in
      let job = StoreJob(.probe, on: loop) { _ in
        loop.preconditionOnLoop()
        told.withLock { $0[thread].append(number) }
      }
      job.result = .success(.noted)
      loop.answer([job])
    }
    let duration = await ContinuousClock().measure {
      // One after the other: the handler lingers again.
      for _ in 0..<200 {
        await withCheckedContinuation { continuation in
          let job = StoreJob(.probe, on: loop) { _ in continuation.resume() }
          job.result = .success(.noted)
          loop.answer([job])
        }
      }
      // As fast as can be, by two threads: it mostly is busy.
      await withTaskGroup { group in
        for thread in 0..<2 { group.addTask { for number in 0..<count { answer(thread, number) } } }
      }
      #expect(await eventually { told.withLock { $0.allSatisfy { $0.count == count } } })
      // The last ones come while the loop stops, and behind that.
      loop.stop()
      answer(0, count)
      #expect(await eventually { told.withLock { $0[0].count == count + 1 && $0[1].count == count } })
      answer(1, count)
      #expect(await eventually { told.withLock { $0[1].count == count + 1 } })
    }
    #expect(told.withLock { $0 } == [Array(0...count), Array(0...count)])
    #expect(duration < .milliseconds(Self.linger / 2))
    withExtendedLifetime(target) {}
    close(end)
  }

  @Test func job_doesNotWaitForALingeringHandler() async throws {
    let target = Target()
    let (loop, end) = try await makeLingeringLoop(target)
    // A job must run long before the handler is done with that.
    let duration = await ContinuousClock().measure {
      await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
    }
    #expect(duration < .milliseconds(Self.linger / 2))
    loop.stop()
    withExtendedLifetime(target) {}
    close(end)
  }
}
