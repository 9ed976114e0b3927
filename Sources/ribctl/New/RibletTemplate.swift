/// A riblet as it begins: the riblet, its builder and its test.
///
/// It counts taps, begins with what its builder is told, and tells its parent when it is to be closed; with a child it opens
/// that, and closes it when the child says so.
struct RibletTemplate {
  let name: String
  var isViewless = false
  var isClass = false
  var child: ChildTemplate?

  /// Names that are other things where a riblet is.
  static let takenNames: Set<String> = [
    "Any", "Builder", "Child", "Codable", "Config", "Effect", "Equatable", "Hashable", "Int", "InternalAction",
    "Output", "Props", "Protocol", "Riblet", "Route", "Self", "Slot", "State", "String", "Test", "TestRiblet", "Type",
    "ViewAction", "ViewState", "ViewlessRiblet",
  ]

  /// The file of the riblet.
  var riblet: String {
    """
    \(imports("RibCore"))

    /// \(summary)
    \(declaration) {
    \(members.joined(separator: "\n\n").indented)
    }

    """
  }

  /// The file of its builder.
  var builder: String {
    """
    \(imports("RibCore"))

    /// Builds a ``\(name)``: whoever has it need not know the type.
    struct \(name)Builder: Builder {
      func build(_ config: \(name).Config) -> any Riblet<\(name).Output> { \(name)(config: config) }
    }

    """
  }

  /// The file of its test, in the tests of a module.
  func test(of module: String) -> String {
    """
    \(imports("RibTesting", "Testing"))

    @testable \(imports(module))

    struct \(name)Tests {
    \(tests.joined(separator: "\n\n").indented)
    }

    """
  }

  private func imports(_ modules: String...) -> String {
    modules.map { ["import", $0].joined(separator: " ") }.joined(separator: "\n")
  }

  // MARK: The riblet

  private var summary: String {
    switch (isViewless, child) {
    case (true, let child?): "Holds a ``\(child.name)``, and has no view of its own."
    case (true, nil): "Has no view: logic between its parent and its children."
    case (false, let child?): "Counts taps, and opens a ``\(child.name)``."
    case (false, nil): "Counts taps."
    }
  }

  private var declaration: String {
    "\(isClass ? "final class" : "struct") \(name): \(isViewless ? "ViewlessRiblet" : "Riblet")"
  }

  private var members: [String] {
    var members = ["static let typeName = \"\(name)\"", config, state]
    if !isViewless {
      members.append(
        "enum ViewAction: Codable { case \((["tapped"] + opening + ["closeTapped"]).joined(separator: ", ")) }")
    }
    if let child { members.append("enum InternalAction: Equatable { case \(child.slot)(\(child.name).Output) }") }
    members.append("enum Output: Equatable { case closed }")
    if !isViewless { members.append("struct ViewState: Codable, Equatable { let count: Int }") }
    members.append("let config: Config")
    if isClass { members.append("init(config: Config) { self.config = config }") }
    if let routes { members.append(routes) }
    members.append("func makeState() -> State { State(\(isViewless ? "" : "count: config.start")) }")
    if !isViewless { members.append(reducer) }
    if let child { members.append(outputReducer(of: child)) }
    if !isViewless { members.append("func view(_ state: State) -> ViewState { ViewState(count: state.count) }") }
    return members
  }

  /// What a user does to open the child.
  private var opening: [String] { child.map { ["\($0.slot)Tapped"] } ?? [] }
  private var own: String { isClass ? name : "Self" }

  private var config: String {
    isViewless
      ? "struct Config: Codable, Hashable {}"
      : """
      /// What it is built with.
      struct Config: Codable, Hashable { var start = 0 }
      """
  }

  private var state: String {
    let properties =
      (isViewless ? [] : ["var count: Int"])
      + (child.map { ["var \($0.slot) = Slot\(isViewless ? "(\($0.name).Config())" : "<\($0.name).Config>()")"] } ?? [])
    switch properties.count {
    case 0: return "struct State: Codable, Equatable {}"
    case 1: return "struct State: Codable, Equatable { \(properties[0]) }"
    default: return "struct State: Codable, Equatable {\n\(properties.joined(separator: "\n").indented)\n}"
    }
  }

  private var routes: String? {
    guard let child else { return nil }
    let slot = child.slot
    return """
      var routes: [Route<\(own)>] {
        [
          Route("\(slot)", \\.\(slot)) { config in
            Child(\(child.name)Builder().build(config)) { .\(slot)($0) }
          }
        ]
      }
      """
  }

  private var reducer: String {
    let open = child.map {
      "case .\($0.slot)Tapped: state.\($0.slot).attach(\($0.config(counting: "state.count")))\n"
    }
    return """
      func reduce(into state: inout State, viewAction: ViewAction) -> Effect<\(own)> {
        switch viewAction {
        case .tapped: state.count += 1
      \((open ?? "").indented)  case .closeTapped: return .output(.closed)
        }
        return .none
      }
      """
  }

  /// Takes note of what the child says.
  private func outputReducer(of child: ChildTemplate) -> String {
    let slot = child.slot
    return """
      func reduce(into state: inout State, internalAction: InternalAction) -> Effect<\(own)> {
        switch internalAction {
        case .\(slot)(.closed): \(isViewless ? ".output(.closed)" : "state.\(slot).detach()")
        }\(isViewless ? "" : "\n  return .none")
      }
      """
  }

  // MARK: The test

  private var tests: [String] {
    guard let child else {
      return isViewless
        ? [
          """
          @Test func riblet_doesNothingByItself() {
            TestRiblet(\(name)(config: \(name).Config())).finish()
          }
          """
        ] : [counts, closes]
    }
    let slot = child.slot
    guard isViewless else { return [counts, opensAndCloses(child), closes] }
    return [
      !child.isClosable
        ? """
        @Test func \(slot)_isThere() {
          let test = TestRiblet(\(name)(config: \(name).Config()))
          #expect(test.session.outline.contains("\(slot)[0] \(child.name)"))
        }
        """
        : """
        @Test func \(slot)_isThere_andItsEndIsTheEnd() {
          let test = TestRiblet(\(name)(config: \(name).Config()))
          test.send(.closeTapped, to: \(child.name).self, at: "\(slot)")
          test.receive(.\(slot)(.closed))
          test.expectOutput(.closed)
        }
        """
    ]
  }

  /// A child that no client can tell to close is only opened.
  private func opensAndCloses(_ child: ChildTemplate) -> String {
    let slot = child.slot
    let closing = """
        test.send(.closeTapped, to: \(child.name).self, at: "\(slot)")
        test.receive(.\(slot)(.closed)) { $0.\(slot).detach() }

      """
    return """
      @Test func \(slot)_opensOnce\(!child.isClosable ? "" : "AndCloses")() {
        let test = TestRiblet(\(name)(config: \(name).Config(start: 3)))
        test.send(.\(slot)Tapped) { $0.\(slot).attach(\(child.config(counting: "3"))) }
        test.send(.\(slot)Tapped)
      \(!child.isClosable ? "" : closing)}
      """
  }

  private var counts: String {
    """
    @Test func tap_counts() {
      let test = TestRiblet(\(name)(config: \(name).Config(start: 1)))
      test.expectView(.init(count: 1))
      test.send(.tapped) { $0.count = 2 }
      test.expectView(.init(count: 2))
    }
    """
  }

  private var closes: String {
    """
    @Test func close_isTheParentsToDo() {
      let test = TestRiblet(\(name)(config: \(name).Config()))
      test.send(.closeTapped)
      test.expectOutput(.closed)
    }
    """
  }
}

extension String {
  /// One level deeper; empty lines stay empty.
  fileprivate var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }
      .joined(separator: "\n")
  }
}
