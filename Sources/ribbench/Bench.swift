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

  /// A benchmark.
  init<Root: Riblet>(
    _ name: String, _ root: @escaping @autoclosure () -> Root, _ action: String, to address: NodeAddress
  ) where Root.Output == Never {
    self.name = name
    var prepared: (tree: Tree, renderer: ViewRenderer, action: JSONElement)?
    perform = {
      if prepared == nil {
        let tree = Tree(root: root())
        let renderer = ViewRenderer()
        _ = try tree.start(rendering: renderer)
        prepared = (tree, renderer, try Reader().read(action))
      }
      guard let (tree, renderer, action) = prepared else { return }
      _ = try tree.perform(action, for: address, rendering: renderer)
      precondition(renderer.patch.count == 1, "\(renderer.patch.count) operations for one change")
    }
  }

  /// A benchmark of the root's action without its decoding.
  init<Root: Riblet>(
    _ name: String, _ root: @escaping @autoclosure () -> Root, decoded action: Root.ViewAction
  ) where Root.Output == Never {
    self.name = name
    var prepared: (tree: Tree, renderer: ViewRenderer)?
    perform = {
      if prepared == nil {
        let (tree, renderer) = (Tree(root: root()), ViewRenderer())
        _ = try tree.start(rendering: renderer)
        prepared = (tree, renderer)
      }
      guard let (tree, renderer) = prepared else { return }
      _ = try tree.perform(action, for: tree.rootID, of: Root.self, rendering: renderer)
      precondition(renderer.patch.count == 1, "\(renderer.patch.count) operations for one change")
    }
  }

  /// Performs the action so many times.
  func run(_ count: Int) throws {
    for _ in 0..<count { try perform() }
  }

  /// Prints nanoseconds per action: the median, and the fastest and slowest round.
  func report() throws {
    try run(10)
    let count = try calibrated()
    var rounds: [Double] = []
    for _ in 0..<9 {
      let time = try ContinuousClock().measure { try run(count) }
      rounds.append(time.nanoseconds / Double(count))
    }
    rounds.sort()
    print("\(name): \(Int(rounds[4])) ns an action (\(Int(rounds[0]))-\(Int(rounds[8])))")
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
