/// Where a session is with its commits: at most one is under way, and what happens meanwhile is for the next one.
///
/// | state        | ``note()``   | ``begin()``  | ``didSucceed()`` | ``didFail()`` | ``storeIsBack()`` |
/// |--------------|--------------|--------------|------------------|---------------|-------------------|
/// | `clean`      | `due` *      |              |                  | `failing`     |                   |
/// | `due`        | `due`        | `committing` |                  | `failing`     |                   |
/// | `committing` | `behind`     |              | `clean`          | `failing`     |                   |
/// | `behind`     | `behind`     |              | `due` *          | `failing`     |                   |
/// | `failing`    | `failing`    |              |                  | `failing`     | `retrying` *      |
/// | `retrying`   | `retrying`   | `catchingUp` |                  | `failing`     |                   |
/// | `catchingUp` | `catchingUp` |              | `due` *          | `failing`     |                   |
///
/// With * the session is to be put on its loop's list of sessions that have something to commit. In the last three the client
/// does not wait: the session goes on in memory.
struct Commits {
  private enum State {
    /// Everything is committed.
    case clean
    /// Something is to be committed, and the loop knows.
    case due
    /// A commit is under way, and nothing has happened since.
    case committing
    /// A commit is under way, and something has happened since.
    case behind
    /// The store fails.
    case failing
    /// The store is back, and the loop knows.
    case retrying
    /// The first commit since is under way.
    case catchingUp
  }

  private var state = State.clean

  /// Whether what the client is told now has to wait.
  var isPending: Bool {
    switch state {
    case .due, .committing, .behind: true
    case .clean, .failing, .retrying, .catchingUp: false
    }
  }

  /// Whether the session goes on in memory because the store fails.
  var isFailing: Bool {
    switch state {
    case .failing, .retrying, .catchingUp: true
    case .clean, .due, .committing, .behind: false
    }
  }

  /// Whether the store has been given something that it has not answered.
  var isUnderWay: Bool {
    switch state {
    case .committing, .behind, .catchingUp: true
    case .clean, .due, .failing, .retrying: false
    }
  }

  /// Whether everything is committed.
  var isClean: Bool { if case .clean = state { true } else { false } }

  /// Takes note that there is something to commit.
  ///
  /// - Returns: whether the session is to be put on the loop's list.
  mutating func note() -> Bool {
    switch state {
    case .clean:
      state = .due
      return true
    case .committing: state = .behind
    case .due, .behind, .failing, .retrying, .catchingUp: break
    }
    return false
  }

  /// Takes note that what has happened is being committed.
  ///
  /// - Returns: false if there is nothing to do any more.
  mutating func begin() -> Bool {
    switch state {
    case .due: state = .committing
    case .retrying: state = .catchingUp
    case .clean, .committing, .behind, .failing, .catchingUp: return false
    }
    return true
  }

  /// Takes note that the commit is done.
  ///
  /// - Returns: whether the session is to be put on the loop's list.
  mutating func didSucceed() -> Bool {
    switch state {
    case .committing: state = .clean
    case .behind, .catchingUp:
      state = .due
      return true
    case .clean, .due, .failing, .retrying: break
    }
    return false
  }

  /// Takes note that the store fails.
  mutating func didFail() { state = .failing }

  /// Takes note that the store works again.
  ///
  /// - Returns: whether the session is to be put on the loop's list.
  mutating func storeIsBack() -> Bool {
    guard case .failing = state else { return false }
    state = .retrying
    return true
  }
}
