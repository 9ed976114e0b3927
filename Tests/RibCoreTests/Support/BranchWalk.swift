import RibCore
import RibTesting
import Testing
import Wire

/// Random actions on a tree of branches.
struct BranchWalk {
  struct Step: CustomStringConvertible {
    let node: NodeID
    let action: String
    var description: String { "\(node) \(action)" }
  }

  private static let actions = [
    "Branch": [
      "count", "open", "open", "reopen", "close", "push", "pop", "select 0", "select 1", "select 2", "add", "add",
      "remove 0", "remove 1", "move 2", "sprout", "sprout", "wither", "addTwig", "addTwig", "removeTwig 0",
      "removeTwig 1", "swapTwigs", "fail",
    ], "Twig": ["count", "sprout", "sprout", "wither", "tell"], "Leaf": ["count", "count", "tell"], "Bud": ["count"],
  ]

  var random: SeededGenerator
  /// Whether branches run effects.
  var runsEffects = false

  /// An action for some node that is there.
  mutating func step(on session: TestSession) throws -> Step {
    guard case .object(let nodes)? = session.view["nodes"] else { throw UnexpectedView(value: session.view) }
    let key = try #require(nodes.keys.sorted().randomElement(using: &random))
    guard case .string(let type)? = nodes[key]?["type"] else { throw UnexpectedView(value: session.view) }
    var names = try #require(Self.actions[type])
    if runsEffects, type == "Branch" { names += ["run it", "run it", "run that", "stop it"] }
    let words = try #require(names.randomElement(using: &random)).split(separator: " ")
    let value = words.count == 1 ? "{}" : Int(words[1]) == nil ? "\"\(words[1])\"" : "\(words[1])"
    return Step(node: try #require(Int(key)), action: "{\"\(words[0])\":\(value)}")
  }

  /// Does a step.
  ///
  /// - Returns: why it was refused; nil if it was not.
  static func perform(_ step: Step, on session: TestSession) throws -> Refusal? {
    do throws(any Error) {
      try session.act(step.action, to: .id(step.node))
      return nil
    } catch let refusal as Refusal {
      return refusal
    }
  }
}
