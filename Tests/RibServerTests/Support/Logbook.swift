import RibCore
import RibServer
import Synchronization
import Wire

/// A riblet with something of everything that is kept: a state, children, effects, and what it hears when it comes back.
struct Logbook: Riblet {
  static let typeName = "Logbook"

  struct State: Codable {
    var lines: [String] = []
    var note = Slot<String>()
    var pages = Stack<Int>(0)
    /// What was interrupted, each time that it came back.
    var interrupted: [String] = []
  }
  enum ViewAction: Decodable {
    case write(String)
    case push(Int)
    case pop
    case open(String)
    case work(String)
    case nap(String)
    case workAndWrite(String)
  }
  enum InternalAction { case written(String) }
  struct ViewState: Encodable, Equatable {
    let lines: [String]
    let interrupted: [String]
    let heading: String?
  }

  /// What runs outside, and what it shows without having been told.
  let outside: Outside

  func makeState() -> State { State() }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    state.interrupted += interrupted.map { $0.id ?? "none" }
    return .none
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .write(let line): state.lines.append(line)
    case .push(let page): state.pages.push(page)
    case .pop: state.pages.pop()
    case .open(let title): state.note.replace(with: title)
    case .work(let id): return .run(id: id) { [outside] _ in await outside.run() }
    case .nap(let id): return .run(id: id, resumable: true, mayMiss: true) { [outside] _ in await outside.run() }
    case .workAndWrite(let line):
      return .run { [outside] send in
        outside.note("began")
        await send(.written(line))
      }
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    if case .written(let line) = internalAction { state.lines.append(line) }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(lines: state.lines, interrupted: state.interrupted, heading: outside.heading)
  }

  var routes: [Route<Self>] {
    [
      Route("note", \.note) { title in Child(LogbookNote(title: title)) },
      Route("pages", \.pages) { number in Child(LogbookNote(title: "page \(number)")) },
    ]
  }

  /// What of the world a test sees and changes.
  final class Outside: Sendable {
    private let running = Atomic<Int>(0)
    private let title = Mutex<String?>(nil)
    private let notes = Mutex<[String]>([])

    /// How many effects run.
    var runningCount: Int { running.load(ordering: .relaxed) }
    /// Something that views show and no state has.
    var heading: String? {
      get { title.withLock { $0 } }
      set { title.withLock { $0 = newValue } }
    }
    /// What effects have done.
    var log: [String] { notes.withLock { $0 } }

    func note(_ text: String) { notes.withLock { $0.append(text) } }

    /// Runs until it is cancelled.
    func run() async {
      running.add(1, ordering: .relaxed)
      let (stream, _) = AsyncStream<Void>.makeStream()
      for await _ in stream {}
      running.subtract(1, ordering: .relaxed)
    }
  }

  /// The app with this riblet.
  static func app(_ outside: Outside = Outside()) -> App { App("logbook") { Logbook(outside: outside) } }
}

/// Counts.
struct LogbookNote: Riblet {
  static let typeName = "Note"
  enum ViewAction: Decodable { case add }
  struct ViewState: Encodable, Equatable {
    let title: String
    let count: Int
  }

  let title: String

  func makeState() -> Int { 0 }

  func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
    count += 1
    return .none
  }

  func view(_ count: Int) -> ViewState { ViewState(title: title, count: count) }
}
