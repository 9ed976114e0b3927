import RibCore

/// What the state of every riblet of the ``World`` has.
struct Common: Codable {
  var count = 0
  var ratio = 1.0
  var text = ""
  /// How often a child has said something.
  var heard = 0
  /// What the parent has told.
  var told = 0
  /// Whether the state cannot be saved.
  var seal = Seal()
  /// What nobody sees.
  var ballast = ""
  @Transient var flash = 0
}

/// What can be coded unless it is broken.
struct Seal: Codable {
  var isBroken = false

  init() {}
  init(from decoder: any Decoder) throws { isBroken = try decoder.singleValueContainer().decode(Bool.self) }

  func encode(to encoder: any Encoder) throws {
    guard !isBroken else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "The seal is broken."))
    }
    var container = encoder.singleValueContainer()
    try container.encode(isBroken)
  }
}

/// What is seen of every viewable riblet of the ``World``.
struct CommonView: Encodable, Equatable {
  let id: Int?
  let count: Int
  let ratio: Double
  let text: String
  let heard: Int
  let told: Int
  let flash: Int

  init(_ common: Common, id: Int? = nil) {
    self.id = id
    count = common.count
    ratio = common.ratio
    text = common.text
    heard = common.heard
    told = common.told
    flash = common.flash
  }
}

/// What a riblet of the ``World`` tells its parent.
enum Word: Sendable {
  /// The parent hears it, and so do as many of those above it.
  case told(Int)
  /// The parent refuses it.
  case refuse
}

/// What a riblet of the ``World`` tells itself, or hears on a route.
enum News: Sendable {
  case word(Word, from: String)
  case refuse
  case again
}

/// What has happened in a ``World``, by its kind; what a failed transaction has done, has not happened.
final class Notes {
  private(set) var counts: [String: Int] = [:]
  private var pending: [String] = []

  func note(_ kind: String) { pending.append(kind) }

  func commit() {
    for kind in pending { counts[kind, default: 0] += 1 }
    pending = []
  }

  func rollBack() { pending = [] }

  /// Counts what happens outside of transactions.
  func count(_ kind: String) { counts[kind, default: 0] += 1 }

  func add(_ other: Notes) { counts.merge(other.counts, uniquingKeysWith: +) }
}

/// A riblet of the ``World``.
protocol Inhabitant: Riblet where ViewAction == WorldAction<Change>, InternalAction == News, State: Settled {
  associatedtype Change: WorldChange
  var notes: Notes { get }
  func make(_ change: Change, in state: inout State) -> Effect<Self>
  func say(_ word: Word) -> Effect<Self>
  /// Takes note of what a child has said.
  func hear(from route: String, _ state: inout State)
  /// Attaches a child whose view has no JSON.
  ///
  /// - Returns: whether it has such children.
  func attachUnseen(in state: inout State) -> Bool
}

/// A state that is saved, with what they all have in common.
protocol Settled: Codable {
  var common: Common { get set }
}

extension Inhabitant {
  func hear(from route: String, _ state: inout State) {}
  func attachUnseen(in state: inout State) -> Bool { false }

  func reduce(into state: inout State, viewAction: WorldAction<Change>) -> Effect<Self> {
    switch viewAction {
    case .make(let changes): return .merge(changes.map { make($0, in: &state) })
    case .fail(let failure, let changes):
      return .merge(changes.map { make($0, in: &state) } + [fail(failure, &state)])
    }
  }

  func reduce(into state: inout State, internalAction: News) -> Effect<Self> {
    switch internalAction {
    case .refuse, .word(.refuse, _): return .refuse("No.")
    case .again: return .send(.again)
    case .word(.told(let levels), let route):
      notes.note("\(Self.typeName) hears")
      state.common.heard += 1
      hear(from: route, &state)
      return levels > 0 ? say(.told(levels - 1)) : .none
    }
  }

  /// Starts anew what was interrupted.
  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    .merge(interrupted.map { effect in .run(id: effect.id, key: effect.key) { _ in } })
  }

  func change(_ common: inout Common, _ change: CommonChange) -> Effect<Self> {
    switch change {
    case .count: common.count += 1
    case .ratio(let ratio): common.ratio = ratio
    case .text(let text): common.text = text
    case .flash(let flash): common.flash = flash
    case .run(let id): return .run(id: id, cancelInFlight: common.count % 2 == 0) { _ in }
    case .stop(let id): return .cancel(id: id)
    case .tell(let levels): return say(.told(levels))
    case .nothing: break
    }
    return .none
  }

  private func fail(_ failure: WorldFailure, _ state: inout State) -> Effect<Self> {
    let unseen = Effect<Self>.merge(.cancel(id: "it"), .run(id: "unseen") { _ in })
    switch failure {
    case .refuse: return .merge(unseen, .refuse("No."))
    case .refuseLater: return .merge(unseen, .send(.refuse))
    case .refuseOutput: return .merge(unseen, say(.refuse))
    case .view where ViewState.self != Never.self: state.common.ratio = .nan
    case .child where attachUnseen(in: &state): break
    case .view, .child, .state: state.common.seal.isBroken = true
    case .loop: return .merge(unseen, .send(.again))
    case .largeView where ViewState.self != Never.self:
      state.common.text = String(repeating: "x", count: Tree.viewLimit)
    case .largeView, .largeState: state.common.ballast = String(repeating: "x", count: Tree.stateLimit)
    }
    return unseen
  }
}

extension Inhabitant where Output == Word {
  func say(_ word: Word) -> Effect<Self> { .output(word) }
}

extension Inhabitant where Output == Never {
  /// There is nobody to hear it.
  func say(_ word: Word) -> Effect<Self> { if case .refuse = word { .refuse("No.") } else { .none } }
}

extension Inhabitant where Props == Int {
  func reduce(into state: inout State, props: Int) -> Effect<Self> {
    if props != state.common.told { notes.note("\(Self.typeName) is told") }
    state.common.told = props
    return .none
  }
}
