import RibCore
import Wire

/// The result of restoring a session to see whether that goes well.
struct CheckedSession: Equatable {
  /// How it has gone.
  enum Outcome: String, CaseIterable {
    /// All is as it was.
    case restored
    /// All is there, and some of it was migrated.
    case migrated
    /// Riblets would be built anew, and what they knew is lost.
    case rebuilt
    /// A newer program has saved it: this one does not load it.
    case newer
    /// The session would not be loaded.
    case failed
    /// The session is set aside since servers have died of it, and was not tried.
    case poisoned
  }

  /// A riblet that was migrated.
  struct Migration: Hashable {
    /// Its type name.
    let type: String
    /// The version that had saved it.
    let from: Int
    /// The present version.
    let to: Int
  }

  /// The fault of a riblet, or of the whole session.
  struct Problem: Hashable {
    /// The riblet's type name; nil for the session.
    let type: String?
    /// The fault, in a sentence.
    let reason: String
  }

  let outcome: Outcome
  var migrations: [Migration] = []
  var problems: [Problem] = []
}

extension CheckedSession {
  /// Restores a session as a server does, but for its effects, which are not started.
  ///
  /// The code of the app runs in it: it may trap, or not return.
  ///
  /// - Parameters:
  ///   - stored: what the store has.
  ///   - app: the session's app.
  ///   - willRestore: called with the type name of each riblet before its state is decoded or migrated.
  init(
    restoring stored: StoredTrees.StoredTree, as app: App, willRestore: @escaping (_ type: String) -> Void
  ) {
    if let crash = stored.crashes.first(where: { $0.client == 0 && $0.count >= StoredSession.Crash.limit }) {
      self.init(.poisoned, nil, "It was set aside: servers have died \(crash.count) times while they ran it.")
      return
    }
    let tree: Tree
    do {
      let parameters = try stored.identity.parameters.map { try StateCoder.read($0) }
      let id = stored.identity.id
      tree = try app.makeTree(parameters, App.Session(id: id, keyPrefix: id, profile: stored.profile)).tree
    } catch {
      self.init(.failed, nil, "The app's root cannot be built: \(error)")
      return
    }
    tree.notesChanges = true
    do throws(RestoreError) {
      let (_, report) = try tree.restore(stored.tree, rendering: ViewRenderer()) { willRestore($0.type) }
      self.init(report, of: stored.tree, in: tree, app)
    } catch {
      if case .newerSnapshot(let type, _, _) = error {
        self.init(.newer, type, "\(error)")
      } else {
        self.init(.failed, nil, "\(error)")
      }
    }
  }

  private init(_ report: RestoreReport, of snapshot: TreeSnapshot, in tree: Tree, _ app: App) {
    let unreadable = report.lost.filter(\.isUnreadable)
    if !unreadable.isEmpty, app.onUnreadableState == .keep {
      self.init(outcome: .failed, problems: unreadable.map { Problem(type: $0.type, reason: $0.reason) })
    } else if !report.lost.isEmpty {
      self.init(outcome: .rebuilt, problems: report.lost.map { Problem(type: $0.type, reason: $0.reason) })
    } else {
      let migrations = report.restored.compactMap { id -> Migration? in
        guard let saved = snapshot.nodes[id], let version = tree.stateVersion(of: id), version != saved.version else {
          return nil
        }
        return Migration(type: saved.type, from: saved.version, to: version)
      }
      self.init(outcome: migrations.isEmpty ? .restored : .migrated, migrations: migrations)
    }
  }

  init(_ outcome: Outcome, _ type: String?, _ reason: String) {
    self.init(outcome: outcome, problems: [Problem(type: type, reason: reason)])
  }
}
