import Synchronization
package import Wire

/// What reducers draw from outside during a transaction: dates, random bits and the like.
///
/// A recording notes what they are given, and a replay gives them the same again. Only what the transaction itself draws
/// counts: an effect, or a task that a reducer has started, runs when it likes, and what comes of it is an event of its own.
package final class DrawTape: Sendable {
  private struct State {
    /// What was drawn; in a replay, what is left to be drawn.
    var draws: [RecordedTransaction.Draw] = []
    /// The task in which the transaction runs; nil if it runs in none.
    var task: Int?
    var isReplaying = false
    /// What the recording does not have.
    var missing: String?
  }

  /// The tape of the transaction that is under way.
  @TaskLocal private static var current: DrawTape?

  private let state = Mutex(State())

  /// A tape without draws.
  package init() {}

  /// Notes what is drawn.
  ///
  /// - Parameter body: the transaction.
  /// - Returns: what it returns, and what was drawn, in order.
  package func record<Result>(_ body: () -> Result) -> (result: Result, draws: [RecordedTransaction.Draw]) {
    let result = run(State(task: Self.task), body)
    return (result, state.withLock { $0.draws })
  }

  /// Gives out again what was drawn.
  ///
  /// - Parameters:
  ///   - draws: what was drawn.
  ///   - body: the transaction.
  /// - Returns: what it returns, and what it wanted and was not drawn then: it got something else.
  package func replay<Result>(
    _ draws: [RecordedTransaction.Draw], _ body: () -> Result
  ) -> (result: Result, missing: String?) {
    let result = run(State(draws: draws, task: Self.task, isReplaying: true), body)
    return (result, state.withLock { $0.missing })
  }

  private func run<Result>(_ new: State, _ body: () -> Result) -> Result {
    state.withLock { $0 = new }
    return Self.$current.withValue(self, operation: body)
  }

  // A task that is started by a reducer inherits its tape, and is none of its transaction.
  private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  // MARK: Draws

  /// Takes something from outside: from the tape if a recording is replayed, else from `live`, which the tape may note.
  static func draw<Value: Codable>(_ name: String, _ live: () -> Value) -> Value {
    guard let tape = current, tape.state.withLock({ $0.task }) == task else { return live() }
    if let text = tape.take(name) {
      if let json = try? StateCoder.read(text), let value = try? StateCoder.decode(Value.self, from: json) {
        return value
      }
      tape.state.withLock { $0.missing = $0.missing ?? name }
    }
    // What a draw is made of is no draw of its own.
    let value = $current.withValue(nil, operation: live)
    tape.note(name, value)
    return value
  }

  /// The next draw of a name; nil if there is none, or nothing is replayed.
  private func take(_ name: String) -> String? {
    state.withLock { state in
      guard state.isReplaying else { return nil }
      guard let index = state.draws.firstIndex(where: { $0.name == name }) else {
        state.missing = state.missing ?? name
        return nil
      }
      return state.draws.remove(at: index).value
    }
  }

  private func note<Value: Codable>(_ name: String, _ value: Value) {
    guard state.withLock({ !$0.isReplaying }), let json = try? StateCoder.encode(value) else { return }
    let draw = RecordedTransaction.Draw(name: name, value: String(decoding: json, as: UTF8.self))
    state.withLock { $0.draws.append(draw) }
  }
}

extension Dependencies {
  /// Takes something from outside that a recording is to have.
  ///
  /// A reducer that asks something else than these dependencies — a feature flag, a table in memory — asks it here. In a
  /// transaction that is recorded the answer is noted, and a replay gives it again without asking. Anywhere else, as in an
  /// effect, this is a call of `value`.
  ///
  ///     let isNew = Dependencies.draw("flag") { flags.isOn("new") }
  ///
  /// - Parameters:
  ///   - name: what is drawn, for a reader of the recording; a replay gives draws of one name in order.
  ///   - value: asks.
  /// - Returns: the answer.
  public static func draw<Value: Codable>(_ name: String, _ value: () -> Value) -> Value {
    DrawTape.draw(name, value)
  }
}
