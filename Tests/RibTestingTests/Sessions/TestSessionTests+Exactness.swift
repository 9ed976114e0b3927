import RibCore
import RibTesting
import Synchronization
import Testing

/// What a session checks by itself.
extension TestSessionTests {
  /// A riblet whose state is coded as the test says.
  private struct Box<Content: Codable & Sendable>: Riblet {
    static var typeName: String { "Box" }
    let content: Content
    var changes: [String: @Sendable (inout Content) -> Void] = [:]

    func makeState() -> Content { content }

    func reduce(into content: inout Content, viewAction: String) -> Effect<Self> {
      changes[viewAction]?(&content)
      return .none
    }

    func view(_ content: Content) -> Int { 0 }
  }

  /// Forgets how often it was read.
  private struct Forgetful: Codable {
    var text = ""
    var count = 0
    private enum CodingKeys: CodingKey { case text }
    init() {}
    init(from decoder: any Decoder) throws {
      text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
    }
  }

  private func forgetful(_ text: String = "") -> Box<Forgetful> {
    Box(content: Forgetful(), changes: ["count": { $0.count += 1 }, "write": { $0.text = text }])
  }

  // MARK: States

  @Test func state_thatLosesSomething_isSaidOnce() throws {
    let texts = try failures {
      let session = try TestSession(forgetful())
      try session.act(#""write""#)
      for _ in 1...2 { try session.act(#""count""#) }
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The state of Box 1 (the root) does not come back as it was") == true, "\(texts)")
    #expect(texts.first?.contains("count: 1") == true, "\(texts)")
  }

  @Test func stateOfAChild_isSaidWithItsPlace() throws {
    struct Parent: Riblet {
      static let typeName = "Parent"
      let child: Box<Forgetful>
      var routes: [Route<Self>] { [Route("boxes", \.self) { _ in Child(child) }] }
      func makeState() -> Items<Int> { Items([1, 2]) }
      func view(_ state: Items<Int>) -> Int { 0 }
    }
    let texts = try failures { try TestSession(Parent(child: forgetful())).act(#""count""#, at: "boxes[1]") }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The state of Box 3 (boxes[1]) does not come back") == true, "\(texts)")
  }

  @Test func whatAStateLosesOnPurpose_isNotSaid() throws {
    let session = try TestSession(forgetful())
    session.checksStates = false
    try session.act(#""count""#)
    #expect(try session.restored(as: forgetful()).checksStates == false)
  }

  @Test func stateThatDiffersFromItself_comesBack() throws {
    let session = try TestSession(Box(content: [1.0], changes: ["break": { $0 = [.nan, -0.0] }]))
    try session.act(#""break""#)
    _ = try session.restored(as: Box(content: [1.0]))
  }

  @Test func stateThatIsWrittenInAnotherWayEachTime_isSaid() throws {
    struct Restless: Codable, Equatable {
      var number = 0
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode([number, Int.random(in: 0...Int.max)])
      }
    }
    let texts = try failures { _ = try TestSession(Box(content: Restless())) }
    #expect(texts.count == 1)
    #expect(
      texts.first?.hasPrefix("The state of Box 1 (the root) is written in another way each time, at /1:") == true,
      "\(texts)")
  }

  @Test func stateWhoseEqualityIgnoresWhatItLoses_isSaid() throws {
    struct Careless: Codable, Equatable {
      var count = 0
      var note = ""
      init() {}
      init(from decoder: any Decoder) throws {
        count = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .count)
      }
      private enum CodingKeys: CodingKey { case count, note }
      static func == (one: Careless, other: Careless) -> Bool { one.count == other.count }
    }
    let texts = try failures {
      let session = try TestSession(Box(content: Careless(), changes: ["note": { $0.note = "lost" }]))
      try session.act(#""note""#)
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("though == calls both the same, at /note:") == true, "\(texts)")
    #expect(texts.first?.contains("saved:    \"lost\"\n  restored: \"\"") == true, "\(texts)")
  }

  @Test func largeState_isCheckedAtTheEnd() throws {
    let text = String(repeating: "x", count: 10_000)
    let texts = try failures {
      let session = try TestSession(forgetful(text))
      let early = try failures {
        try session.act(#""write""#)
        try session.act(#""count""#)
      }
      #expect(early == [])
      session.stop()
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The state of Box 1 (the root) does not come back as it was") == true, "\(texts)")
  }

  // MARK: Views

  @Test func largeView_isComparedAtTheEnd() throws {
    let texts = try failures {
      let session = try TestSession(Growing())
      try session.act(#"{"add":"\u00e9"}"#)
      try session.act(#"{"add":"\#(String(repeating: "x", count: 70_000))"}"#)
      let early = try failures { try session.act(#"{"rewrite":"e\u0301"}"#) }
      #expect(early == [])
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("of Growing 1 (the root), at /nodes/1/state/log/0:") == true, "\(texts)")
  }

  @Test func viewThatIsWrittenInAnotherWayEachTime_isSaid() throws {
    struct Flickering: Riblet {
      static let typeName = "Flickering"
      struct ViewState: Encodable, Equatable {
        func encode(to encoder: any Encoder) throws {
          var container = encoder.singleValueContainer()
          try container.encode(Int.random(in: 0...Int.max))
        }
      }
      func makeState() -> Int { 0 }
      func view(_ state: Int) -> ViewState { ViewState() }
    }
    let texts = try failures { _ = try TestSession(Flickering()) }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("of Flickering 1 (the root), at /nodes/1/state:") == true, "\(texts)")
    #expect(texts.first?.contains("not deterministic") == true)
  }

  /// Something that changes behind its reference.
  private final class Counter: Sendable {
    let count = Mutex(0)
    func increment() { count.withLock { $0 += 1 } }
  }

  @Test func viewThatDependsOnAnObject_isSaid() throws {
    struct Watching: Riblet {
      static let typeName = "Watching"
      let counter = Counter()
      enum ViewAction: Decodable { case touch }
      func makeState() -> Int { 0 }
      func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
      func view(_ state: Int) -> Int { counter.count.withLock { $0 } }
    }
    let root = Watching()
    let session = try TestSession(root)
    root.counter.increment()
    // The action has the view asked for; what changes behind it then does not.
    let texts = try failures {
      root.counter.increment()
      try session.act(#""touch""#)
    }
    #expect(texts == [])
    session.tree.observer = { _ in root.counter.increment() }
    let later = try failures { try session.act(#""touch""#) }
    #expect(later.count == 1)
    #expect(
      later.first?.contains("of Watching 1 (the root) is another when it is asked for once more") == true, "\(later)")
  }

  @Test func routeThatDependsOnAnObject_isSaid() throws {
    struct Page: Riblet {
      static let typeName = "Page"
      func makeState() -> Int { 0 }
      func view(_ state: Int) -> Int { state }
    }
    struct Book: Riblet {
      static let typeName = "Book"
      struct State: Sendable {
        let counter = Counter()
        var pages: Items<Int> { Items(Array(0..<counter.count.withLock { $0 })) }
      }
      enum ViewAction: Decodable { case touch }
      var routes: [Route<Self>] { [Route("pages", \.pages) { _ in Child(Page()) }] }
      let state = State()
      func makeState() -> State { state }
      func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> { .none }
      func view(_ state: State) -> Int { 0 }
    }
    let root = Book()
    let session = try TestSession(root)
    session.tree.observer = { _ in root.state.counter.increment() }
    let texts = try failures { try session.act(#""touch""#) }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("the route pages of Book 1 (the root) has other children") == true, "\(texts)")
  }

  @Test func transientProperty_isNoLoss() throws {
    struct Page: Codable, Equatable {
      struct Row: Codable, Equatable {
        var name = ""
        @Transient var isOpen = false
      }
      var rows = [Row(name: "a"), Row(name: "b", isOpen: true), Row(name: "c")]
      @Transient var isLoading = false
    }
    let session = try TestSession(Box(content: Page(), changes: ["load": { $0.isLoading = true }]))
    try session.act(#""load""#)
  }

  @Test func lossBesideATransientProperty_isSaid() throws {
    struct Mixed: Codable {
      @Transient var isLoading = true
      var count = 0
      init() {}
      private enum CodingKeys: CodingKey { case isLoading }
    }
    let texts = try failures {
      try TestSession(Box(content: Mixed(), changes: ["count": { $0.count += 1 }])).act(#""count""#)
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("count: 1") == true, "\(texts)")
    #expect(texts.first?.contains("wrappedValue: false") == false, "\(texts)")
  }

  @Test func testOfOneRiblet_isCheckedToo() {
    struct Leaky: Riblet {
      static let typeName = "Leaky"
      struct State: Codable, Equatable {
        var count = 0
        init() {}
        init(from decoder: any Decoder) throws {}
      }
      enum ViewAction: Decodable { case count }
      func makeState() -> State { State() }
      func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
        state.count += 1
        return .none
      }
      func view(_ state: State) -> Int { state.count }
    }
    let texts = failures { TestRiblet(Leaky()).send(.count) { $0.count = 1 } }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The state of Leaky 1 (the root) does not come back as it was") == true, "\(texts)")
  }
}
