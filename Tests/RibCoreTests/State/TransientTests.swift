import RibCore
import RibTesting
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct TransientTests {
  private struct State: Codable, Equatable {
    var count = 0
    @Transient var isLoading = true
    @Transient var error: String? = nil
    @Transient var rows = [1, 2]
  }

  @Test func property_isLeftOut() throws {
    let json = try StateCoder.encode(State(count: 3, isLoading: true, error: "e"))
    #expect(String(decoding: json, as: UTF8.self) == #"{"count":3}"#)
  }

  @Test(arguments: [#"{"count":3}"#, #"{"count":3,"isLoading":true,"rows":["damaged"]}"#])
  func restored_isInitial(_ json: String) throws {
    let state = try StateCoder.decode(State.self, from: StateCoder.read(json))
    #expect(state == State(count: 3, isLoading: false, error: nil, rows: []))
  }

  @Test func outsideOfAnObject_thereIsAnError() {
    #expect(throws: (any Error).self) { try StateCoder.encode([Transient(wrappedValue: 1)]) }
  }

  @Test func values_areEmptyAtFirst() {
    #expect(Int?.initial == nil)
    #expect(!Bool.initial)
    #expect(Int.initial == 0)
    #expect(Double.initial == 0)
    #expect(String.initial == "")
    #expect([Int].initial == [])
    #expect(Set<Int>.initial == [])
    #expect([String: Int].initial == [:])
  }

  /// Loads for ever.
  private struct Loader: Riblet {
    static let typeName = "Loader"
    struct State: Codable {
      var count = 0
      /// Enough for the state not to be written as a whole each time.
      var text = String(repeating: "x", count: 600)
      @Transient var isLoading = false
    }
    enum ViewAction: Decodable { case load, count }
    func makeState() -> State { State() }
    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .load: state.isLoading = true
      case .count: state.count += 1
      }
      return .none
    }
    func view(_ state: State) -> Bool { state.isLoading }
  }

  @Test func change_writesNothing() throws {
    let tree = Tree(root: Loader())
    tree.notesChanges = true
    let renderer = ViewRenderer()
    _ = try tree.start(rendering: renderer)
    _ = tree.takeCut()
    var reader = JSONReader()
    _ = try tree.perform(try reader.read(#""load""#).root, for: .path(""), by: ActingClient(), rendering: renderer)
    #expect(tree.takeCut().changed == [])
    _ = try tree.perform(try reader.read(#""count""#).root, for: .path(""), by: ActingClient(), rendering: renderer)
    #expect(tree.takeCut().changed.count == 1)
  }
}
