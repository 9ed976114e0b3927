import Foundation
import RibCore
import Testing
import Wire

struct DrawTapeTests {
  private let live = Dependencies.live

  private struct Drawn: Equatable {
    var date: Date
    var uuid: UUID
    var bits: UInt64
    var pips: Int
    var instant: ContinuousClock.Instant
    var flag: String
  }

  private func draw() -> Drawn {
    Drawn(
      date: live.date(), uuid: live.uuid(), bits: live.randomBits(), pips: live.random(in: 1...6),
      instant: now(live.clock),
      flag: Dependencies.draw("flag") { live.uuid().uuidString })
  }

  private func now(_ clock: some Clock<Duration>) -> ContinuousClock.Instant {
    (clock.now as? ContinuousClock.Instant) ?? .now.advanced(by: .seconds(-1e6))
  }

  @Test func everythingLive_isReplayedExactly() {
    let (recorded, draws) = DrawTape().record(draw)
    #expect(draws.map(\.name) == ["date", "uuid", "randomBits", "randomBits", "clock", "flag"])
    let (replayed, missing) = DrawTape().replay(draws, draw)
    #expect(replayed == recorded)
    #expect(missing == nil)
    #expect(draw() != recorded)
  }

  @Test func numbersBeyond53Bits_keepTheirDigits() {
    for bits in [UInt64.max, UInt64.max - 1, (1 << 53) + 1, 0] as [UInt64] {
      let (_, draws) = DrawTape().record { Dependencies.draw("bits") { bits } }
      let (again, _) = DrawTape().replay(draws) { Dependencies.draw("bits") { 7 as UInt64 } }
      #expect(again == bits)
    }
  }

  @Test func otherOrderOfNames_getsTheSame() {
    let (recorded, draws) = DrawTape().record { (live.uuid(), live.randomBits(), live.uuid()) }
    let (replayed, missing) = DrawTape().replay(draws) { (live.randomBits(), live.uuid(), live.uuid()) }
    #expect(replayed.0 == recorded.1)
    #expect((replayed.1, replayed.2) == (recorded.0, recorded.2))
    #expect(missing == nil)
  }

  @Test func drawThatWasNotMade_isMissing() {
    let (_, draws) = DrawTape().record { live.uuid() }
    let (_, missing) = DrawTape().replay(draws) {
      _ = live.uuid()
      _ = live.date()
      _ = live.uuid()
    }
    #expect(missing == "date")
  }

  @Test func drawOfAnotherType_isMissing() {
    let (_, missing) = DrawTape().replay([.init(name: "uuid", value: "7")]) { live.uuid() }
    #expect(missing == "uuid")
  }

  /// A reducer that starts a task hands it its tape.
  @Test func tasksAndThreads_drawForThemselves() async {
    let tape = DrawTape()
    let (others, draws) = tape.record { () -> [Task<Void, Never>] in
      _ = live.date()
      let tasks = [Task { _ = live.uuid() }, Task.detached { _ = live.uuid() }]
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = live.uuid()
        done.signal()
      }
      done.wait()
      for _ in 0..<1000 { _ = live.randomBits() }
      return tasks
    }
    for task in others { await task.value }
    #expect(draws.count == 1001)
    #expect(!draws.contains { $0.name == "uuid" })
    // Within a task it is the transaction's own that counts.
    let inTask = await Task { tape.record { live.uuid() } }.value
    #expect(inTask.draws.map(\.name) == ["uuid"])
  }

  @Test func withoutATape_nothingIsNoted() {
    let tape = DrawTape()
    _ = live.uuid()
    #expect(tape.record {}.draws == [])
    _ = tape.record { live.uuid() }
    #expect(tape.record {}.draws == [])
  }
}
