import CustomDump
import RibCore
import Testing
import Wire

/// The checks that a session makes without being asked.
extension TestSession {
  /// A view of more bytes is compared at the end only: a test would spend its time on writing and reading it.
  private static let viewLimit = 64 << 10
  /// A state of more bytes is checked at the end only: comparing values property by property is slow.
  private static let stateLimit = 8 << 10

  /// Checks the view and the states after a transaction, those that are small enough.
  func checkExactness() {
    if tree.viewSize > Self.viewLimit {
      uncomparedTransaction = tree.transactionCount
    } else {
      compareView()
    }
    for id in uncheckedNodes.sorted() where (tree.stateSize(of: id) ?? 0) <= Self.stateLimit { checkState(of: id) }
  }

  /// Checks the view and the states that were too large to be checked after each transaction.
  func checkWhatIsLeft() {
    // Not if the tree has run transactions without the session: the session's view does not have their patches.
    if uncomparedTransaction == tree.transactionCount { compareView() }
    for id in uncheckedNodes.sorted() { checkState(of: id) }
  }

  /// Makes sure that a client with every patch applied has the view that a new client would be sent.
  private func compareView() {
    uncomparedTransaction = nil
    do {
      let shown = try snapshot()
      if document != shown, let (place, client, server) = document.firstDifference(from: shown) {
        let node = owner(of: place).map { describe($0) }
        record(Failure.inexactPatch(origin.text, node, place, client: client, server: server))
        // Further transactions are compared with the server's view, so that one difference is reported once.
        document = shown
        return
      }
      guard asksViewsAgain else { return }
      let again = try snapshotAskedAgain()
      if shown != again, let (place, first, then) = shown.firstDifference(from: again) {
        let node = owner(of: place).map { describe($0) }
        record(Failure.staleView(origin.text, node, place, shown: first, then: then))
      } else if let (node, route) = tree.staleRoute {
        record(Failure.staleRoute(origin.text, describe(node), route))
      }
    } catch {
      record(Failure.unwritableView(origin.text, error))
    }
  }

  private func checkState(of id: NodeID) {
    uncheckedNodes.remove(id)
    guard let type = tree.typeName(at: .id(id)), !lossyTypes.contains(type) else { return }
    if let text = leak(of: id) {
      lossyTypes.insert(type)
      record(text)
      return
    }
    guard checksStates, let text = loss(of: id)
    else {
      return
    }
    lossyTypes.insert(type)
    record(text)
  }

  /// Describes a secret in what a node shows or saves; nil if there is none.
  private func leak(of id: NodeID) -> String? {
    if let leak = tree.secretShown(by: id) { return Failure.secretShown(describe(id), leak) }
    return tree.secretSaved(by: id).map { Failure.secretSaved(describe(id), $0) }
  }

  /// Describes how a node's state changes when it is saved and restored; nil if it does not change.
  private func loss(of id: NodeID) -> String? {
    do {
      guard let (state, restored) = try tree.roundTrip(of: id) else { return nil }
      if let text = Failure.differenceOfStates(describe(id), state, restored),
        // A second round trip rules out values such as NaN, which are not even equal to themselves.
        let again = try tree.roundTrip(of: id), diff(restored, again.restored) == nil
      {
        return text
      }
      let saved = try json(of: state)
      if let (place, first, then) = saved.firstDifference(from: try json(of: state)) {
        return Failure.unsteadyState(describe(id), place, first: first, then: then)
      }
      return saved.firstDifference(from: try json(of: restored)).map { place, before, after in
        Failure.unequalState(describe(id), place, saved: before, restored: after)
      }
    } catch {
      return Failure.unreadableState(describe(id), error)
    }
  }

  private func json(of state: Any) throws -> JSONValue {
    guard let state = state as? any Encodable else { return .null }
    return JSONValue(try StateCoder.read(String(decoding: try StateCoder.encode(state), as: UTF8.self)))
  }

  /// The id of the node to which a place in the view belongs; nil if it belongs to none.
  private func owner(of place: String) -> NodeID? {
    let steps = place.split(separator: "/")
    return steps.first == "nodes" && steps.count > 1 ? NodeID(steps[1]) : nil
  }

  /// A node for a failure's text: its type name, its id and its path.
  private func describe(_ id: NodeID) -> String {
    guard let type = tree.typeName(at: .id(id)), let path = tree.path(of: id) else {
      return "node \(id), which is not there"
    }
    return "\(type) \(id) (\(path.isEmpty ? "the root" : path))"
  }

  private func record(_ text: String) { Issue.record(Comment(rawValue: text), sourceLocation: origin.location) }
}
