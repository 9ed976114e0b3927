import RibCore
import RibTestSupport
import RibTesting
import Testing
import Wire

/// Random actions, against a model that knows only what riblets do, nothing of trees.
extension TreeTests {
  @Test(arguments: TestRun.seeds(1, 2, new: TestRun.volume(3, nightly: 23)))
  func randomActions_keepViewSnapshotAndModelAlike(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    for sequence in 1...100 {
      let session = try TestSession(Desk())
      let model = ModelDesk()
      var trail: [String] = []
      do {
        for _ in 1...10 {
          let step = model.randomStep(using: &random)
          trail.append("\(step.path) \(step.action.text)")
          try perform(step, on: session, model)
          let view = session.view
          try #require(try session.snapshot() == view)
          try model.requireMatch(with: view)
          try #require(session.tree.nodeCount == view.nodeIDs.count)
          try #require(session.tree.effectCount == model.effectCount)
          try #require(session.pendingEffects.count == model.effectCount)
        }
      } catch {
        Issue.record(error, "seed \(seed), sequence \(sequence): \(trail)")
        return
      }
    }
  }

  private func perform(_ step: ModelDesk.Step, on session: TestSession, _ model: ModelDesk) throws {
    // Half of the actions for nodes that are there go by id.
    let id = model.id(at: step.path)
    let address = step.byID ? id.map { NodeAddress.id($0) } : nil
    let refusal: Nack.Code?
    do throws(any Error) {
      try session.act(step.action.text, to: address ?? .path(step.path))
      refusal = nil
    } catch let error as Refusal {
      refusal = error.code
    }
    try #require(refusal == model.apply(step))
  }
}

/// What a desk and its pages are after some actions: values, and the ids that their nodes were given.
private final class ModelDesk {
  struct Step {
    let path: String
    let action: JSONValue
    let byID: Bool
  }

  private final class Page {
    let name: String
    var count = 0
    var heard = ""
    var inner: Page?
    /// The names of its effects.
    var effects: [String] = []
    /// Its node; nil until the view shows it.
    var id: Int?

    init(path: some StringProtocol) {
      let parts = path.split(separator: "/", maxSplits: 1)
      name = String(parts[0])
      inner = parts.count > 1 ? Page(path: parts[1]) : nil
    }
  }

  private var count = 0
  private var heard = ""
  private var detail: Page?
  private var aside: Page?
  private var lastID = 1

  // MARK: Steps

  func randomStep(using random: inout SeededGenerator) -> Step {
    let place =
      [
        "", "", "detail", "detail", "detail/inner", "detail/inner", "detail/inner/inner", "aside", "aside[0]/inner",
        "aside/inner[0]/inner", "detail[1]",
      ].randomElement(using: &random) ?? ""
    let path = ["a", "b", "a/b", "c/d/e"].randomElement(using: &random) ?? ""
    let deskCases = [
      "count", "open", "open", "replace", "reopen", "close", "openAside", "openAside", "closeAside", "fail",
    ]
    let pageCases = ["count", "open", "open", "replace", "reopen", "close", "say", "load", "load", "stop", "unheardOf"]
    let name = (place.isEmpty ? deskCases : pageCases).randomElement(using: &random) ?? ""
    let takesPath = ["open", "replace", "reopen", "openAside", "say", "load", "stop"].contains(name)
    return Step(
      path: place, action: .object([name: takesPath ? .string(path) : .object([:])]),
      byID: Bool.random(using: &random))
  }

  /// Does what the step asks for.
  ///
  /// - Returns: how it is refused; nil if it is not.
  func apply(_ step: Step) -> Nack.Code? {
    guard case .object(let members) = step.action, let (name, payload) = members.first else { return .badAction }
    let path = if case .string(let text) = payload { text } else { "" }
    guard !step.path.isEmpty else {
      switch name {
      case "count": count += 1
      case "openAside": aside = aside ?? Page(path: path)
      case "closeAside": aside = nil
      case "fail": return .failed
      default: detail = Self.change(detail, name, path)
      }
      return nil
    }
    guard let page = page(at: step.path) else { return .gone }
    switch name {
    case "count": page.count += 1
    case "say":
      if let parent = self.page(at: step.path.split(separator: "/").dropLast().joined(separator: "/")) {
        parent.heard = path
      } else {
        heard = path
      }
    case "load": page.effects.append(path)
    case "stop": page.effects.removeAll { $0 == path }
    case "unheardOf": return .badAction
    default: page.inner = Self.change(page.inner, name, path)
    }
    return nil
  }

  private static func change(_ slot: Page?, _ name: String, _ path: String) -> Page? {
    switch name {
    case "open": slot ?? Page(path: path)
    case "close": nil
    default: Page(path: path)
    }
  }

  func id(at path: String) -> Int? { path.isEmpty ? 1 : page(at: path)?.id }

  private func page(at path: String) -> Page? {
    let steps = path.split(separator: "/").map { $0.replacing("[0]", with: "") }
    guard let first = steps.first else { return nil }
    let start = first == "detail" ? detail : first == "aside" ? aside : nil
    return steps.dropFirst().reduce(start) { page, step in step == "inner" ? page?.inner : nil }
  }

  // MARK: Comparison

  var effectCount: Int { Self.effectCount(detail) + Self.effectCount(aside) }

  private static func effectCount(_ page: Page?) -> Int {
    page.map { $0.effects.count + effectCount($0.inner) } ?? 0
  }

  /// Checks that a view shows just this: the same nodes as before, and those that are new under new ids.
  func requireMatch(with view: JSONValue) throws {
    let before = lastID
    var ids: Set<String> = ["1"]
    let desk = try #require(view["nodes"]?["1"])
    try #require(view["root"] == .integer(1))
    try #require(desk["type"] == .string("Desk"))
    try #require(
      desk["state"] == .object(["count": .integer(Int64(count)), "heard": .string(heard), "ratio": .integer(1)]))
    for (route, page) in [("detail", detail), ("aside", aside)] {
      try requireMatch(page, on: route, of: desk, in: view, newAbove: before, &ids)
    }
    try #require(view.nodeIDs == ids)
  }

  private func requireMatch(
    _ page: Page?, on route: String, of parent: JSONValue, in view: JSONValue, newAbove before: Int,
    _ ids: inout Set<String>
  ) throws {
    let shown = try #require(parent["children"]?[route]?["ids"])
    guard let page else {
      try #require(shown == .array([]))
      return
    }
    guard case .array(let list) = shown, list.count == 1, case .integer(let number) = list[0] else {
      throw UnexpectedView(value: shown)
    }
    let id = Int(number)
    if let known = page.id { try #require(id == known) } else { try #require(id > before) }
    page.id = id
    lastID = max(lastID, id)
    ids.insert("\(id)")

    let node = try #require(view["nodes"]?["\(id)"])
    try #require(node["type"] == .string("Page"))
    try #require(
      node["state"]
        == .object([
          "name": .string(page.name), "count": .integer(Int64(page.count)), "heard": .string(page.heard),
          "loads": .integer(0),
        ]))
    try requireMatch(page.inner, on: "inner", of: node, in: view, newAbove: before, &ids)
  }
}

extension JSONValue {
  fileprivate var nodeIDs: Set<String> {
    guard case .object(let nodes)? = self["nodes"] else { return [] }
    return Set(nodes.keys)
  }
}
