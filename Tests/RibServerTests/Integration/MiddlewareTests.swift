import RibCore
import RibServer
import RibTestSupport
import Synchronization
import Testing
import Wire

/// What an app looks at before its riblets reduce it.
@Suite(.blocking) struct MiddlewareTests {
  /// What was seen.
  private final class Audit: Sendable {
    private let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  /// Counts; a count of three it sends itself.
  private struct Meter: Riblet {
    static let typeName = "Meter"
    enum ViewAction: Decodable { case add(Int) }
    enum InternalAction: Sendable { case reached(Int) }
    func makeState() -> Int { 0 }
    func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
      guard case .add(let number) = viewAction else { return .none }
      count += number
      return count >= 3 ? .send(.reached(count)) : .none
    }
    func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Self> { .none }
    func view(_ count: Int) -> Int { count }
  }

  @Test func middleware_seesEachAction_andTheFirstThatRefusesDecides() async throws {
    let audit = Audit()
    let app = App("meter") { Meter() }
      .middleware { action, session in
        audit.note("\(session.count) \(action.riblet) \(action.node) \(action.kind) \(action.action)")
        return .pass
      }
      .middleware { action, _ in
        guard case Meter.ViewAction.add(let number)? = action.action as? Meter.ViewAction, number > 9 else {
          return .pass
        }
        return .refuse("Too many.")
      }
      .middleware { action, _ in
        if case .internalAction = action.kind, "\(action.action)" == "reached(5)" { return .refuse("Not five.") }
        return .pass
      }
    try await withServer(apps: [app]) { _, url in
      try await blocking {
        let client = try PlainClient(url, app: "meter")
        try client.act(1, #"{"add":2}"#)
        #expect(try client.next(#"{"t":"patch""#).contains(#""n":1,"#))
        #expect(audit.take() == ["32 Meter 1 viewAction add(2)"])
        try client.act(2, #"{"add":10}"#)
        let nack = try client.next(#"{"t":"nack""#)
        #expect(nack.contains(#""code":"refused""#) && nack.contains("Too many."))
        // Refused in the midst of a transaction, all of it is undone.
        try client.act(3, #"{"add":3}"#)
        #expect(try client.next(#"{"t":"nack""#).contains("Not five."))
        _ = audit.take()
        try client.act(4, #"{"add":1}"#)
        #expect(try client.next(#"{"t":"patch""#).contains(#""value":3"#))
        #expect(audit.take().count == 2)
      }
    }
  }
}
