import Foundation
import RibCore
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

  @Test func attachingAndDetaching_100_000Times_leavesNothingBehind() async throws {
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
    func cycle(_ count: Int) throws {
      for _ in 0..<count {
        note(try tree.perform(open, for: .id(1), rendering: renderer))
        note(try tree.perform(close, for: .id(1), rendering: renderer))
      }
    }
    try cycle(1000)
    let before = Self.residentKilobytes
    try cycle(99_000)
    let growth = Self.residentKilobytes - before
    #expect(growth < 2048, "memory grew by \(growth) KiB")
    #expect(started == 200_000)
    #expect(cancelled == 200_000)
    #expect(tree.nodeCount == 1)
    #expect(tree.effectCount == 0)
    // What was started and revoked sends, and nothing of it arrives.
    _ = try tree.perform(open, for: .id(1), rendering: renderer)
    let reports = ReportCollector()
    for effect in late { try await effect.run { await reports.append($0) } }
    let sent = await reports.content
    #expect(sent.count == 200)
    for report in sent { #expect(try tree.receive(report, rendering: renderer).isEmpty && renderer.patch.count == 0) }
    #expect(tree.droppedActions == 200)
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
