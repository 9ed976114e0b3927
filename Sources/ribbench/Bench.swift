import RibCore
import Wire

/// A tree and an action that it is sent again and again.
struct Bench {
  /// Reads the actions.
  struct Reader {
    func read(_ text: String) throws -> JSONElement {
      var reader = JSONReader()
      return try reader.read(text).root
    }
  }

  let name: String
  private let perform: () throws -> Void
  /// How many bytes the cuts had, and how many cuts there were.
  private let written = Written()
  /// How often the action is performed; nil for as often as there is time.
  private var limit: Int?

  private final class Written {
    var bytes = 0
    var cuts = 0
  }

  /// A benchmark.
  ///
  /// - Parameters:
  ///   - name: what it is called.
  ///   - root: the tree's root.
  ///   - action: the action's JSON.
  ///   - address: the node that it is for.
  ///   - isStored: whether a store writes what changes, as `ribd` has it: a cut is taken after each action.
  ///   - operations: how many there are in the patch; nil for any number.
  ///   - limit: how often the action is performed, if it is slow.
  init<Root: Riblet>(
    _ name: String, _ root: @escaping @autoclosure () -> Root, _ action: String, to address: NodeAddress,
    isStored: Bool = false, operations: Int? = 1, limit: Int? = nil
  ) where Root.Output == Never, Root.Props == Never {
    self.name = isStored ? "\(name), stored" : name
    self.limit = limit
    var prepared: (tree: Tree, renderer: ViewRenderer, action: JSONElement)?
    let written = written
    perform = {
      if prepared == nil {
        let tree = Tree(root: root())
        tree.notesChanges = isStored
        let renderer = ViewRenderer()
        _ = try tree.start(rendering: renderer)
        if isStored { _ = tree.takeCut() }
        prepared = (tree, renderer, try Reader().read(action))
      }
      guard let (tree, renderer, action) = prepared else { return }
      _ = try tree.perform(action, for: address, by: ActingClient(), rendering: renderer)
      let count = renderer.patch.count
      precondition(operations.map { $0 == count } ?? (count > 0), "\(count) operations for one change")
      guard isStored else { return }
      written.bytes += tree.takeCut().byteCount
      written.cuts += 1
    }
  }

  /// A benchmark of the root's action without its decoding.
  init<Root: Riblet>(
    _ name: String, _ root: @escaping @autoclosure () -> Root, decoded action: Root.ViewAction
  ) where Root.Output == Never, Root.Props == Never {
    self.name = name
    var prepared: (tree: Tree, renderer: ViewRenderer)?
    perform = {
      if prepared == nil {
        let (tree, renderer) = (Tree(root: root()), ViewRenderer())
        _ = try tree.start(rendering: renderer)
        prepared = (tree, renderer)
      }
      guard let (tree, renderer) = prepared else { return }
      _ = try tree.perform(action, for: tree.rootID, of: Root.self, by: ActingClient(), rendering: renderer)
      precondition(renderer.patch.count == 1, "\(renderer.patch.count) operations for one change")
    }
  }

  /// Performs the action so many times.
  func run(_ count: Int) throws {
    for _ in 0..<count { try perform() }
  }

  /// Prints nanoseconds per action: the median, and the fastest and slowest round.
  func report() throws {
    try run(limit == nil ? 10 : 1)
    let count = try limit ?? calibrated()
    var rounds: [Double] = []
    for _ in 0..<(limit == nil ? 9 : 3) {
      let time = try ContinuousClock().measure { try run(count) }
      rounds.append(time.nanoseconds / Double(count))
    }
    rounds.sort()
    let range = "\(Int(rounds[0]))-\(Int(rounds[rounds.count - 1]))"
    let bytes = written.cuts == 0 ? "" : ", \(written.bytes / written.cuts) bytes to write"
    print("\(name): \(Int(rounds[rounds.count / 2])) ns an action (\(range))\(bytes)")
  }

  /// How many actions take some 50 ms.
  private func calibrated() throws -> Int {
    var count = 1
    while try ContinuousClock().measure({ try run(count) }) < .milliseconds(25) { count *= 2 }
    return count * 2
  }

  /// Prints nanoseconds per call: the median, and the fastest and slowest round.
  static func time(_ name: String, _ body: () throws -> Void) throws {
    let clock = ContinuousClock()
    try body()
    var count = 1
    while try clock.measure({ for _ in 0..<count { try body() } }) < .milliseconds(25) { count *= 2 }
    var rounds: [Double] = []
    for _ in 0..<9 {
      rounds.append(try clock.measure { for _ in 0..<count { try body() } }.nanoseconds / Double(count))
    }
    rounds.sort()
    print("\(name): \(Int(rounds[4])) ns (\(Int(rounds[0]))-\(Int(rounds[8])))")
  }
}

extension Duration {
  var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}

extension TreeCut {
  /// How many bytes a store writes of the states.
  fileprivate var byteCount: Int {
    changed.reduce(0) { count, node in
      switch node.state {
      case .none, .unchanged: count
      case .replaced(let state): count + state.count
      case .rewritten(let base, let changes): changes.reduce(count + base.count) { $0 + $1.operations.count }
      case .changed(let changes): changes.reduce(count) { $0 + $1.operations.count }
      }
    }
  }
}
