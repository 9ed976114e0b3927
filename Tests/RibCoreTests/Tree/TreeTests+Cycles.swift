import Foundation
import RibCore
import RibTestSupport
import RibTesting
import Testing
import Wire

/// Nodes that come and go for as long as a session lives.
extension TreeTests {
  /// Opens and closes a room that runs two effects.
  private struct Door: Riblet {
    static let typeName = "Door"
    enum ViewAction: Decodable { case open, close }

    func makeState() -> Slot<Int> { Slot() }

    func reduce(into room: inout Slot<Int>, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .open: room.attach(1)
      case .close: room.detach()
      }
      return .none
    }

    func view(_ room: Slot<Int>) -> Bool { room.config != nil }
    var routes: [Route<Self>] { [Route("room", \.self) { _ in Child(Room()) }] }
  }

  private struct Room: Riblet {
    static let typeName = "Room"
    enum InternalAction: Sendable { case late }

    func makeState() -> Int { 0 }

    func didBecomeActive(_ late: inout Int) -> Effect<Self> {
      .merge(.run(id: "a") { send in await send(.late) }, .run(id: "b") { send in await send(.late) })
    }

    func reduce(into late: inout Int, internalAction: InternalAction) -> Effect<Self> {
      late += 1
      return .none
    }

    func view(_ late: Int) -> Int { late }
  }

  /// Kilobytes of memory that are the process's own.
  private static var residentKilobytes: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  /// In a process of its own, beside which no other test takes memory.
  @Test func attachingAndDetaching_takesNoMemory() async {
    await #expect(processExitsWith: .success) {
      let tree = Tree(root: Door())
      let renderer = ViewRenderer()
      _ = try tree.start(rendering: renderer)
      let (open, close) = (try JSONReader.value(#""open""#), try JSONReader.value(#""close""#))
      var sizes: [Int] = []
      for _ in 0..<6 {
        for _ in 0..<TestRun.volume(2000, nightly: 20_000) {
          _ = try tree.perform(open, for: .id(1), by: ActingClient(), rendering: renderer)
          _ = try tree.perform(close, for: .id(1), by: ActingClient(), rendering: renderer)
        }
        sizes.append(TreeTests.residentKilobytes)
      }
      // What is left behind is left in every round; what the system gives in large pieces it gives now and then.
      let growths = zip(sizes.dropFirst(), sizes).map { $0 - $1 }.sorted()
      // 20 bytes for each time.
      #expect(growths[2] <= TestRun.volume(40, nightly: 400), "\(sizes) KiB")
    }
  }

  @Test func attachingAndDetaching_thousandsOfTimes_leavesNothingBehind() async throws {
    let cycles = TestRun.volume(20_000, nightly: 100_000)
    let tree = Tree(root: Door())
    let renderer = ViewRenderer()
    _ = try tree.start(rendering: renderer)
    let (open, close) = (try JSONReader.value(#""open""#), try JSONReader.value(#""close""#))
    var started = 0
    var cancelled = 0
    var late: [EffectStart] = []
    func note(_ commands: [EffectCommand]) {
      for command in commands {
        switch command {
        case .start(let effect):
          started += 1
          if started.isMultiple(of: 1000) { late.append(effect) }
        case .cancel: cancelled += 1
        case .publish: Issue.record("nobody publishes here")
        }
      }
    }
    for _ in 0..<cycles {
      note(try tree.perform(open, for: .id(1), by: ActingClient(), rendering: renderer))
      note(try tree.perform(close, for: .id(1), by: ActingClient(), rendering: renderer))
    }
    #expect(started == 2 * cycles)
    #expect(cancelled == 2 * cycles)
    #expect(tree.nodeCount == 1)
    #expect(tree.effectCount == 0)
    // What was started and revoked sends, and nothing of it arrives.
    _ = try tree.perform(open, for: .id(1), by: ActingClient(), rendering: renderer)
    let reports = ReportCollector()
    for effect in late { try await effect.run { await reports.append($0) } }
    let sent = await reports.content
    #expect(sent.count == cycles / 500)
    for report in sent { #expect(try tree.receive(report, rendering: renderer).isEmpty && renderer.patch.count == 0) }
    #expect(tree.droppedActions == cycles / 500)
  }
}

/// Collects what effects send.
private actor ReportCollector {
  private(set) var content: [EffectReport] = []
  func append(_ report: EffectReport) { content.append(report) }
}

extension JSONReader {
  fileprivate static func value(_ text: String) throws -> JSONElement {
    var reader = JSONReader()
    return try reader.read(text).root
  }
}
