import RibCore
import RibTesting
import Testing
import Wire

/// Random actions on a tree of branches.
struct BranchWalk {
  struct Step: CustomStringConvertible {
    let node: NodeID
    /// An action's JSON, or `back`.
    let action: String
    var description: String { "\(node) \(action)" }
  }

  private static let actions = [
    "Branch": [
      "count", "open", "open", "reopen", "close", "push", "pop", "select 0", "select 1", "select 2", "add", "add",
      "remove 0", "remove 1", "move 2", "sprout", "sprout", "wither", "addTwig", "addTwig", "removeTwig 0",
      "removeTwig 1", "swapTwigs", "turn spring", "turn summer", "turn winter", "plant oak", "plant -elm", "clear",
      "turnPage 0", "turnPage 1", "fail view", "fail child",
    ], "Twig": ["count", "sprout", "sprout", "wither", "tell", "fail"], "Leaf": ["count", "count", "tell"],
    "Bud": ["count"], "Hedge": ["plant ash", "plant -yew", "clear"],
  ]

  /// A step that fails, whenever it is done.
  mutating func failure(on session: TestSession) throws -> Step {
    // A loop is long.
    let failures = ["Branch view", "Branch view", "Branch child", "Branch child", "Twig", "Twig", "Branch loop"]
    let isRare = Int.random(in: 0..<8, using: &random) == 0
    let words = try #require(failures.dropLast(isRare ? 0 : 1).randomElement(using: &random)).split(separator: " ")
    let nodes = try session.tree.snapshot().nodes.values.filter { $0.type == words[0] }.map(\.id).sorted()
    return Step(
      node: try #require(nodes.randomElement(using: &random)),
      action: words.count == 1 ? #""fail""# : "{\"fail\":\"\(words[1])\"}")
  }

  var random: SeededGenerator
  /// Whether branches run effects.
  var runsEffects = false

  /// An action for some node that is there.
  mutating func step(on session: TestSession) throws -> Step {
    let nodes = try session.tree.snapshot().nodes.values.sorted { $0.id < $1.id }
    let node = try #require(nodes.randomElement(using: &random))
    var names = try #require(Self.actions[node.type])
    if runsEffects, node.type == "Branch" { names += ["run it", "run it", "run that", "stop it"] }
    if Int.random(in: 0..<12, using: &random) == 0 { return Step(node: node.id, action: "back") }
    let words = try #require(names.randomElement(using: &random)).split(separator: " ")
    let value = words.count == 1 ? "{}" : Int(words[1]) == nil ? "\"\(words[1])\"" : "\(words[1])"
    return Step(node: node.id, action: "{\"\(words[0])\":\(value)}")
  }

  /// Does a step.
  ///
  /// - Returns: why it was refused; nil if it was not.
  static func perform(_ step: Step, on session: TestSession) throws -> Refusal? {
    do throws(any Error) {
      if step.action == "back" {
        try session.back(from: .id(step.node))
      } else {
        try session.act(step.action, to: .id(step.node))
      }
      return nil
    } catch let refusal as Refusal {
      return refusal
    }
  }
}
