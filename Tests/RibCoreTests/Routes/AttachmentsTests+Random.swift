import RibCore
import RibTestSupport
import RibTesting
import Testing
import Wire

/// Whatever is done to a container, nodes follow.
extension AttachmentsTests {
  @Test(arguments: [ActivationPolicy.all, .lazy, .selectedOnly], TestRun.seeds(1, 2, new: 2))
  func stack_isFollowed(activation: ActivationPolicy, seed: UInt64) throws {
    let changes: [(inout Stack<String>, String) -> Void] = [
      { $0.push($1) }, { $0.push($1) }, { stack, _ in stack.pop() }, { $0.pop(to: $1) },
      { $0.replaceTop(with: $1) }, { $0.bringToFront($1) }, { stack, _ in stack.popToRoot() },
    ]
    try follow(Stack("a"), activation, seed, changes)
  }

  @Test(arguments: [ActivationPolicy.all, .lazy, .selectedOnly], TestRun.seeds(1, 2, new: 2))
  func tabs_areFollowed(activation: ActivationPolicy, seed: UInt64) throws {
    let changes: [(inout Tabs<String>, String) -> Void] = [{ $0.select($1) }]
    try follow(Tabs("a", "b/x", "c", "d"), activation, seed, changes)
  }

  @Test(arguments: [ActivationPolicy.all, .lazy, .selectedOnly], TestRun.seeds(1, 2, new: 2))
  func items_areFollowed(activation: ActivationPolicy, seed: UInt64) throws {
    let changes: [(inout Items<String>, String) -> Void] = [
      { $0.append($1) }, { $0.insert($1, at: $0.count / 2) }, { items, config in items.removeAll { $0 == config } },
      { items, _ in if let key = items.keys.first { items.move(key, to: items.count) } },
      { items, _ in if let key = items.keys.last { items.remove(key) } },
    ]
    try follow(Items(["a", "b/x"]), activation, seed, changes)
  }

  /// Makes random changes, some of which fail, to a rack and to a copy of its container.
  private func follow<Container: RouteContainer>(
    _ container: Container, _ activation: ActivationPolicy, _ seed: UInt64,
    _ changes: [(inout Container, String) -> Void]
  ) throws where Container.Config == String {
    let model = Model(container)
    let rack = Rack(
      pages: container, activation: activation,
      changes: [
        "go": { $0.pages = model.container },
        "fail": { state in
          state.pages = model.container
          state.ratio = .nan
        },
      ])
    let session = try TestSession(rack)
    var generator = SeededGenerator(state: seed)
    // The keys of what has been in front.
    var seen: Set<Int> = []
    if let front = container.front { seen.insert(container.entries[front].key) }
    var known: [RouteEntry<String>: JSONValue] = [:]
    for _ in 1...100 {
      let before = model.container
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let change = changes[Int.random(in: changes.indices, using: &generator)]
        change(&model.container, ["a", "b/x", "c", "d"][Int.random(in: 0...3, using: &generator)])
      }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        #expect(try session.refusal(of: "\"fail\"").code == .failed)
        model.container = before
      } else {
        try session.send("\"go\"")
      }
      let entries = model.container.entries
      if let front = model.container.front { seen.insert(entries[front].key) }
      let shown = try #require(session.view["nodes"]?["1"]?["children"]?["pages"]?["ids"])
      guard case .array(let ids) = shown else { throw UnexpectedView(value: shown) }
      #expect(ids.count == entries.count)
      var now: [RouteEntry<String>: JSONValue] = [:]
      for (index, (entry, id)) in zip(entries, ids).enumerated() {
        let isInFront = model.container.front.map { $0 == index } ?? true
        let isThere = activation != .lazy || isInFront || seen.contains(entry.key)
        #expect((id != .null) == isThere)
        guard case .integer(let number) = id else { continue }
        #expect(session.property("name", of: Int(number)) == .string(String(entry.config.prefix(1))))
        #expect(session.tree.isActive(at: .id(Int(number))) == (activation != .selectedOnly || isInFront))
        if let old = known[entry], old != .null { #expect(old == id) }
        now[entry] = id
      }
      known = now
      // Nothing is left of what is gone: each page has at most one more in it.
      #expect(session.tree.nodeCount == 1 + now.count + now.keys.count { $0.config == "b/x" })
    }
  }
}

/// What the container is to be.
private final class Model<Container> {
  var container: Container
  init(_ container: Container) { self.container = container }
}
