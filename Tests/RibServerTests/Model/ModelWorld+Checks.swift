import RibCore
import Wire

@testable import RibClient
@testable import RibServer

/// What must be true when everything has come to rest, and after each crash.
extension ModelWorld {
  /// Lets everything come to rest: nothing is cut any more, and everybody comes back.
  func calmDown() throws {
    note("calm")
    store.isDown = false
    for link in links where link.isClientGone && !link.isServerGone { try hear(link) }
    for _ in 0..<200 {
      for client in clients where client.link == nil && !client.hasEnded { try connect(client) }
      try goRound()
      if isQuiet, try servers.allSatisfy({ try !$0.runEffects() }) { return }
    }
    let state = clients.map { "client \($0.number): \($0.session.state), outbox \($0.session.outbox.map(\.number))" }
    throw ModelFinding(kind: .unanswered, detail: state.joined(separator: "; "))
  }

  var isQuiet: Bool {
    servers.allSatisfy(\.isQuiet)
      && links.allSatisfy { $0.up.isEmpty && ($0.isServerGone || $0.connection?.channel.output.isEmpty ?? true) }
      && clients.allSatisfy { client in
        client.hasEnded || (client.session.welcome != nil && client.session.outbox.isEmpty)
      }
  }

  /// Everybody sees what there is, also who has said nothing for long.
  func compareViews() throws {
    guard let row = store.synced.values.first(where: { $0.state.hasActed }) ?? store.synced.values.first else { return }
    for client in clients where !client.hasEnded {
      guard client.shown == row.done else {
        throw ModelFinding(
          kind: .otherView, detail: "client \(client.number) shows \(client.shown ?? []), committed is \(row.done)")
      }
    }
    for client in clients where !client.hasEnded && client.shownNews != published {
      throw ModelFinding(
        kind: .untold,
        detail: "client \(client.number) shows \(client.shownNews ?? -1), published was \(published) last")
    }
    for client in live { client.link?.up.append(try client.session.check()) }
    try calmDown()
  }

  /// What clients were told and have seen is in the store.
  func compareAnswers() throws {
    guard store.written.count == 1, let row = store.written.values.first else { return }
    var counts: [Int: Int] = [:]
    for name in row.done { counts[name, default: 0] += 1 }
    if let (name, _) = counts.first(where: { $0.value > 1 }) {
      throw ModelFinding(kind: .doubled, detail: "\(name) in \(row.done)")
    }
    for client in clients {
      for (name, answer) in client.answers where answer.isDurable {
        let isDone = counts[name] != nil
        if answer.isRefused, isDone { throw ModelFinding(kind: .refusedAndDone, detail: "\(name) in \(row.done)") }
        if !answer.isRefused, !isDone { throw ModelFinding(kind: .lost, detail: "\(name) of \(row.done)") }
      }
      if client.hasDurableView, let shown = client.shown, !row.done.starts(with: shown) {
        throw ModelFinding(
          kind: .takenBack, detail: "client \(client.number) has seen \(shown), there is \(row.done)")
      }
    }
    if let name = started.first(where: { counts[$0] == nil }) {
      throw ModelFinding(kind: .causelessEffect, detail: "\(name) of \(row.done)")
    }
  }
}

extension ModelStore.Row {
  /// The actions that are done, by the root's state.
  var done: [Int] {
    guard let state = tree.nodes[tree.root]?.state, case .array(let names)? = (try? JSONValue(parsing: state))?["done"]
    else { return [] }
    return names.map { if case .integer(let name) = $0 { Int(name) } else { 0 } }
  }
}
