import Synchronization
import Testing

@testable import RibServer

@Suite(.timeLimit(.minutes(5))) struct WheelTimerTests {
  /// A timer on a loop of its own, and what comes due: the id, the loop's time, and the loop's turn.
  private struct Subject {
    let loop: EventLoop
    let timer: WheelTimer
    let due: AsyncStream<(id: Int, time: UInt64, turn: UInt64)>

    init(tickMilliseconds: UInt64) throws {
      let loop = try EventLoop(name: "test", linger: 0, usesEpoll: true, messageLimit: 1000)
      let (due, continuation) = AsyncStream.makeStream(of: (id: Int, time: UInt64, turn: UInt64).self)
      timer = WheelTimer(tick: tickMilliseconds * 1_000_000, on: loop) {
        continuation.yield(($0, loop.time(), loop.turns.load(ordering: .relaxed)))
      }
      self.loop = loop
      self.due = due
    }
  }

  /// Sets deadlines and waits for some of them.
  ///
  /// - Parameters:
  ///   - deadlines: ids, and milliseconds from now.
  ///   - count: how many of them are waited for.
  ///   - blocking: milliseconds that the loop is kept busy.
  /// - Returns: whose deadlines came, in order, how many milliseconds too early or late, and in which of the loop's turns.
  /// - Throws: if there is no loop.
  private static func due(
    _ deadlines: [(id: Int, milliseconds: UInt64)], waitingFor count: Int, blocking: UInt64 = 0
  ) async throws -> [(id: Int, delay: Double, turn: UInt64)] {
    let subject = try Subject(tickMilliseconds: 10)
    let loop = subject.loop
    defer { loop.stop() }
    let start = loop.executeAndWait {
      for (id, milliseconds) in deadlines { subject.timer.schedule(id, after: milliseconds * 1_000_000) }
      let start = loop.now
      // What runs on the loop may take its time.
      while loop.time() < start + blocking * 1_000_000 {}
      return start
    }
    var due: [(id: Int, delay: Double, turn: UInt64)] = []
    for await (id, time, turn) in subject.due {
      let wanted = deadlines.first { $0.id == id }.map { $0.milliseconds } ?? 0
      due.append((id, Double(time - start) / 1e6 - Double(wanted), turn))
      if due.count == count { break }
    }
    return due
  }

  @Test func deadlines_comeInOrderAndNotEarly() async throws {
    let due = try await Self.due([(1, 150), (2, 0), (3, 45), (4, 700), (5, 45)], waitingFor: 5)
    #expect(due.map(\.id) == [2, 3, 5, 1, 4])
    #expect(due.allSatisfy { $0.delay >= 0 }, "\(due)")
  }

  /// Ticks that come late are made up for: not one after the other, each a tick later.
  @Test func deadlinesThatThePastHolds_comeAtOnce() async throws {
    let due = try await Self.due([(1, 50), (2, 150), (3, 290)], waitingFor: 3, blocking: 400)
    #expect(due.map(\.id) == [1, 2, 3])
    #expect(due[0].turn == due[2].turn, "\(due)")
  }

  @Test func timer_standsStill_andTurnsAgain() async throws {
    let subject = try Subject(tickMilliseconds: 1)
    defer { subject.loop.stop() }
    var due = subject.due.makeAsyncIterator()
    for id in 1...3 {
      subject.loop.executeAndWait { subject.timer.schedule(id, after: 1_000_000) }
      #expect(await due.next()?.id == id)
    }
  }

  @Test func deadlinesThatAreForgotten_doNotCome() async throws {
    let subject = try Subject(tickMilliseconds: 1)
    defer { subject.loop.stop() }
    var due = subject.due.makeAsyncIterator()
    subject.loop.executeAndWait {
      subject.timer.schedule(1, after: 1_000_000)
      subject.timer.clear()
      subject.timer.schedule(2, after: 30_000_000)
    }
    #expect(await due.next()?.id == 2)
  }
}
