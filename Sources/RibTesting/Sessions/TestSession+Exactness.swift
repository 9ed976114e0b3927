import CustomDump
import RibCore
import Testing
import Wire

/// What a session checks by itself.
extension TestSession {
  /// A view of more bytes is compared at the end only: writing and reading it is what a test would spend its time with.
  private static let viewLimit = 64 << 10
  /// A state of more bytes is saved and restored at the end only: comparing values property by property is slow.
  private static let stateLimit = 8 << 10

  /// Checks what the last transaction has left, as far as that is small.
  func checkExactness() {
    if tree.viewSize > Self.viewLimit {
      uncomparedTransaction = tree.transactionCount
    } else {
      compareView()
    }
    for id in uncheckedNodes.sorted() where (tree.stateSize(of: id) ?? 0) <= Self.stateLimit { checkState(of: id) }
  }

  /// Checks what was too large until now.
  func checkWhatIsLeft() {
    // What the tree has done without the session, the session's view does not show.
    if uncomparedTransaction == tree.transactionCount { compareView() }
    for id in uncheckedNodes.sorted() { checkState(of: id) }
  }

  /// Makes sure that a client that has applied every patch has what a new one would be sent.
  private func compareView() {
    uncomparedTransaction = nil
    do {
      let shown = try snapshot()
      if document != shown, let (place, client, server) = document.firstDifference(from: shown) {
        let node = owner(of: place).map { describe($0) }
        record(Failure.inexactPatch(origin.text, node, place, client: client, server: server))
        // The test goes on with what the server shows.
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
    guard checksStates, let type = tree.typeName(at: .id(id)), !lossyTypes.contains(type), let text = loss(of: id)
    else {
      return
    }
    lossyTypes.insert(type)
    record(text)
  }

  /// How a node's state does not come back as it was when it is saved and restored; nil if it does.
  private func loss(of id: NodeID) -> String? {
    do {
      guard let (state, restored) = try tree.roundTrip(of: id) else { return nil }
      if let text = Failure.differenceOfStates(describe(id), state, restored),
        // A number that is none is not equal to itself either.
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

  /// The node that a place in the view belongs to.
  private func owner(of place: String) -> NodeID? {
    let steps = place.split(separator: "/")
    return steps.first == "nodes" && steps.count > 1 ? NodeID(steps[1]) : nil
  }

  /// A node for a failure's text: its type, its id and where it is.
  private func describe(_ id: NodeID) -> String {
    guard let type = tree.typeName(at: .id(id)), let path = tree.path(of: id) else {
      return "node \(id), which is not there"
    }
    return "\(type) \(id) (\(path.isEmpty ? "the root" : path))"
  }

  private func record(_ text: String) { Issue.record(Comment(rawValue: text), sourceLocation: origin.location) }
}
