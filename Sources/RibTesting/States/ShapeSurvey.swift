import RibCore

/// Finds the riblets of apps, and the shapes of their states.
///
/// A tree of each app is started. Of each riblet that is attached in it, states are made up with something in all of its containers,
/// and trees are started with these: so its children are found, and theirs.
///
/// `@unchecked Sendable`: only the thread that has made it uses it, as the trees that show it riblets are started on that thread and
/// their effects are not.
final class ShapeSurvey: RibletVisitor, @unchecked Sendable {
  private struct Key: Hashable {
    let riblet: ObjectIdentifier
    let typeName: String
  }

  private var found: [Key: RibletShape] = [:]
  /// The keys of `found`, in the order in which they were found.
  private var order: [Key] = []
  /// The riblets whose children were looked for.
  private var explored: Set<Key> = []

  /// The shapes that were found, sorted by the riblets' type names.
  var shapes: [RibletShape] {
    order.compactMap { found[$0] }.enumerated().sorted {
      ($0.element.typeName, $0.offset) < ($1.element.typeName, $1.offset)
    }
    .map(\.element)
  }

  func wants(_ node: ObjectIdentifier) -> Bool { true }

  func visit<R: Riblet>(_ type: R.Type, named name: String, showing state: R.ViewState) {}

  func visit(_ riblet: any Riblet, isEmbedded: Bool) { note(riblet, isEmbedded: isEmbedded) }

  private func note<R: Riblet>(_ riblet: R, isEmbedded: Bool) {
    let key = Key(riblet: ObjectIdentifier(R.self), typeName: R.typeName)
    if let known = found[key] {
      // Some of its kind are parts of their parents, and this one is not.
      guard !isEmbedded, known.isPart else { return }
    } else {
      order.append(key)
    }
    found[key] = RibletShape(riblet, isEmbedded: isEmbedded)
  }

  /// Looks at an app.
  ///
  /// - Parameter app: the app.
  /// - Throws: what the app says if its root cannot be built.
  func look(at app: any SampleTreeSource) throws {
    let tree = try app.makeSampleTree().tree
    tree.visitor = self
    _ = try? tree.start(rendering: ViewRenderer())
    explore()
  }

  /// Looks at a riblet, and at those below it.
  ///
  /// - Parameter riblet: the riblet.
  func look(at riblet: any Riblet) {
    visit(riblet, isEmbedded: false)
    explore()
  }

  private func explore() {
    while let key = order.first(where: { found[$0]?.isPart == false && !explored.contains($0) }) {
      explored.insert(key)
      found[key]?.explore(self)
    }
  }
}
