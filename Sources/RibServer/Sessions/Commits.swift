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
///
/// That is how it is with a store whose ``Outage`` is `goesOn`. With one that has sessions wait, `waiting` stands for the last
/// three, and the client waits as for any commit. What has become of the cut that failed is not known: the next one has all
/// of it, too.
///
/// | state        | ``note()``   | ``begin()``  | ``didSucceed()`` | ``didFail()`` | ``storeIsBack()`` |
/// |--------------|--------------|--------------|------------------|---------------|-------------------|
/// | `clean`      | `due` *      |              |                  |               |                   |
/// | `due`        | `due`        | `committing` |                  | `waiting`     |                   |
/// | `committing` | `behind`     |              | `clean`          | `waiting`     |                   |
/// | `behind`     | `behind`     |              | `due` *          | `waiting`     |                   |
/// | `waiting`    | `waiting`    |              |                  | `waiting`     | `due` *           |
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
    /// The store fails, and what is to be committed waits until it is back.
    case waiting
  }

  /// What the session does while the store fails.
  let outage: Outage
  private var state = State.clean

  /// A session that has nothing to commit.
  ///
  /// - Parameter outage: what it does while the store fails.
  init(_ outage: Outage = .goesOn) { self.outage = outage }

  /// Whether what the client is told now has to wait.
  var isPending: Bool {
    switch state {
    case .due, .committing, .behind, .waiting: true
    case .clean, .failing, .retrying, .catchingUp: false
    }
  }

  /// Whether the session goes on in memory because the store fails.
  var isFailing: Bool {
    switch state {
    case .failing, .retrying, .catchingUp: true
    case .clean, .due, .committing, .behind, .waiting: false
    }
  }

  /// Whether what is to be committed waits until the store is back.
  var isWaiting: Bool { if case .waiting = state { true } else { false } }

  /// Whether the store has been given something that it has not answered.
  var isUnderWay: Bool {
    switch state {
    case .committing, .behind, .catchingUp: true
    case .clean, .due, .failing, .retrying, .waiting: false
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
    case .due, .behind, .failing, .retrying, .catchingUp, .waiting: break
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
    case .clean, .committing, .behind, .failing, .catchingUp, .waiting: return false
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
    case .clean, .due, .failing, .retrying, .waiting: break
    }
    return false
  }

  /// Takes note that the store fails.
  mutating func didFail() {
    switch outage {
    case .goesOn: state = .failing
    case .waits: if !isClean { state = .waiting }
    }
  }

  /// Takes note that the store works again.
  ///
  /// - Returns: whether the session is to be put on the loop's list.
  mutating func storeIsBack() -> Bool {
    switch state {
    case .failing: state = .retrying
    case .waiting: state = .due
    case .clean, .due, .committing, .behind, .retrying, .catchingUp: return false
    }
    return true
  }
}
