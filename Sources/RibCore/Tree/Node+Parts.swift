import Wire

/// How a node finds out which routes and embedded children a change of its state concerns.
extension Node {
  /// Makes sure that no two children embed the same part of the state: neither would learn of the other's changes.
  func checkParts() {
    let embedded = anyRoutes.filter(\.areEmbedded)
    guard embedded.count > 1 else { return }
    for (index, route) in embedded.enumerated() {
      for other in embedded[..<index] where !(route.sharesPart && other.sharesPart) {
        guard let ours = route.extent, let theirs = other.extent else { continue }
        precondition(
          !ours.overlaps(theirs),
          "the routes \(other.name) and \(route.name) of \(typeName) lead to one part of its state; give each its own")
      }
    }
  }

  /// Whether just one route depends on these bytes of the state; false if the bytes are not known.
  func hasOneRoute(to part: Range<Int>?) -> Bool {
    guard let part else { return false }
    return anyRoutes.count { $0.extent?.overlaps(part) ?? true } == 1
  }

  /// Whether the state before a change is kept to be compared; not the one before a second change.
  var keepsEarlierState: Bool { hasRoutes && !isNew && !isUncompared }

  /// Invalidates the routes whose bits have changed, and has their embedded children compared when the node is
  /// reconciled.
  func noteChangeOfParts(in tree: Tree) {
    guard hasRoutes else { return }
    guard !isNew else { return touchParts(tree, mayBeReplaced: true) }
    if hasChildrenWithProps { tree.unsettle(self, on: nil) }
    // Until this transaction reconciles them, the children match the committed state. Afterwards they may match a state
    // in between, so that a state with the committed bits has to be reconciled as well.
    let areCommitted = lastReconciliation != tree.transactionAttempts
    let isKnown = cell.compare { before, after in
      for route in routes {
        if let extent = route.extent, haveSameBits(before, after, in: extent) {
          if !areCommitted { tree.unsettle(self, on: route) }
          continue
        }
        tree.unsettle(self, on: route)
        guard route.areEmbedded else { continue }
        route.isUncompared = true
        isUncompared = true
      }
    }
    if isKnown, hasTouchedParts {
      isUncompared = true
      tree.unsettle(self, on: nil)
    }
    if !isUncompared { cell.didCompare() }
    if !isKnown { touchParts(tree, mayBeReplaced: true) }
  }

  /// Compares the embedded children on the routes that were noted since the last comparison.
  ///
  /// The earlier state is the one before the first of the changes: what had changed until then was compared then.
  func compareNotedParts(in tree: Tree) {
    isUncompared = false
    let isKnown = cell.compare { before, after in
      for route in routes where route.isUncompared {
        route.compare(before, and: after) { noteChange(of: $0, in: tree) }
      }
    }
    for route in anyRoutes { route.isUncompared = false }
    cell.didCompare()
    guard isKnown else { return touchParts(tree, mayBeReplaced: true) }
    // An embedded state may be as it was committed again, while its node and that node's children match a state in
    // between.
    guard hasTouchedParts else { return }
    for route in anyRoutes where route.areEmbedded {
      for case let child? in route.children where child.isTouched { noteChange(of: child, in: tree) }
    }
  }

  private func noteChange(of child: AnyNode, in tree: Tree) {
    child.touch(tree)
    child.noteReplacement()
    child.noteChange(in: tree)
  }
}
