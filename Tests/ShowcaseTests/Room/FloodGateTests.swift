import RibTesting
import Testing

@testable import Showcase

struct FloodGateTests {
  private let clock = ManualClock()

  @Test func flood_isHeldBack_untilItsMessagesAreOld() {
    let gate = FloodGate(clock: clock)
    #expect(gate.admit("ada"))
    clock.advance(by: .seconds(1))
    for _ in 2...FloodGate.most { #expect(gate.admit("ada")) }
    #expect(!gate.admit("ada"))
    #expect(gate.admit("ben"))
    // The first message is old, and makes way for one; what was held back does not count.
    clock.advance(by: FloodGate.window - .seconds(1))
    #expect(gate.admit("ada"))
    #expect(!gate.admit("ada"))
  }

  @Test func sessionsThatSendNothing_areForgotten_andNoOthers() {
    let gate = FloodGate(clock: clock)
    for number in 1...999 { #expect(gate.admit("\(number)")) }
    clock.advance(by: FloodGate.window)
    for _ in 1...FloodGate.most { #expect(gate.admit("ada")) }
    #expect(gate.admit("ben"))
    #expect(gate.count == 2)
    #expect(!gate.admit("ada"))
  }
}
