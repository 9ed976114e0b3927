import RibCore
import Testing
import Wire

@testable import RibTesting

/// A session that is recorded as a server does it.
final class RecordedSession {
  private final class Lines {
    var bytes: [UInt8] = []
  }

  private let lines = Lines()
  private let renderer = ViewRenderer()
  private(set) var session: TestSession

  init<Root: Riblet>(_ root: Root) throws where Root.Output == Never, Root.Props == Never {
    session = Self.make(root, lines)
    try session.start()
  }

  /// As on a server the keys of effects begin with another name in each life, and not with the session's.
  private static func make<Root: Riblet>(_ root: Root, _ lines: Lines, life: Int = 1) -> TestSession
  where Root.Output == Never, Root.Props == Never {
    let session = TestSession(
      Tree(root: root, session: "s-\(life)"), .held, Origin(text: "", location: #_sourceLocation))
    session.tree.recorder = TransactionRecorder(
      .init(build: "0", app: "test", session: "s", parameters: nil), write: { lines.bytes += $0 })
    return session
  }

  /// Leaves memory and comes back.
  func wake<Root: Riblet>(as root: Root) throws where Root.Output == Never, Root.Props == Never {
    let snapshot = try session.tree.snapshot()
    session = Self.make(root, lines, life: 2)
    _ = try session.tree.restore(snapshot, rendering: renderer)
  }

  /// Acts without a client that looks.
  func act(_ action: String) throws {
    _ = try session.tree.perform(try StateCoder.read(action), for: .path(""), by: ActingClient(), rendering: renderer)
  }

  var text: String { String(decoding: lines.bytes, as: UTF8.self) }

  func recording() throws -> SessionRecording { try SessionRecording(parsing: lines.bytes) }
}
