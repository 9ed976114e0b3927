import Foundation
import RibTestSupport
import Testing

/// What the compiler keeps: it is run on a riblet that is right, and on ones that are wrong by a word.
extension InteractorTests {
  private static let riblet = #"""
    import RibCore
    struct Sample: Riblet {
      static let typeName = "Sample"
      enum ViewAction: Decodable { case tap }
      enum InternalAction: Sendable { case loaded, part(Part.Output) }
      struct Props: Equatable, Sendable {}
      var routes: [Route<Self>] { [Route("part", \.self) { Child(Part()) { .part($0) } }] }
      func makeState() -> Int { 0 }
      func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .run { send in await send(.loaded) } }
      func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> { .none }
      func reduce(into state: inout Int, props: Props) -> Effect<Self> { .none }
      func view(_ state: Int) -> Int { state }
    }
    struct Part: Riblet {
      static let typeName = "Part"
      enum Output: Sendable { case done }
      func makeState() -> Int { 0 }
      func view(_ part: Int) -> Int { part }
    }
    """#

  /// What the compiler says of a source, with the modules of this build.
  private func compile(_ source: String) throws -> (status: Int32, output: String) {
    let build = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("Sample-\(UUID().uuidString).swift")
    try Data(source.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (status, output, errors) = try Program.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["swiftc", "-typecheck", "-swift-version", "6", "-I", build.appendingPathComponent("Modules").path, file.path])
    return (status, output + errors)
  }

  @Test func riblet_thatIsRight_compiles() throws {
    let (status, output) = try compile(Self.riblet)
    #expect(status == 0, "\(output)")
  }

  @Test(
    arguments: [
      // A reducer of another name is no reducer, never a silent default.
      (
        "reduce(into state: inout Int, viewAction: ViewAction)", "reduse(into state: inout Int, viewAction: ViewAction)"
      ),
      ("viewAction: ViewAction)", "viewaction: ViewAction)"),
      ("internalAction: InternalAction)", "internalActions: InternalAction)"), ("props: Props)", "prop: Props)"),
      ("func view(_ state: Int)", "func veiw(_ state: Int)"),
      // A view state that cannot be compared is none.
      ("-> Int { state }", "-> Shown { Shown() }; struct Shown: Encodable, Sendable {}"),
      // A child's output is an internal action of the parent, or passed over in so many words.
      ("{ .part($0) }", ""), ("{ .part($0) }", "{ .done($0) }"), ("{ .part($0) }", "{ state, output in .none }"),
      // An effect has no way to send a view action, and no way to the state.
      ("send(.loaded)", "send(.tap)"), ("{ send in await send(.loaded) }", "{ send in state += 1 }"),
    ])
  func riblet_thatIsWrong_doesNotCompile(right: String, wrong: String) throws {
    try #require(Self.riblet.contains(right))
    let (status, output) = try compile(Self.riblet.replacingOccurrences(of: right, with: wrong))
    #expect(status != 0)
    #expect(output.contains("error:"))
  }
}
