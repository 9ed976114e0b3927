import Synchronization
package import Wire

/// What reducers draw from the outside during a transaction: dates, random bits and the like.
///
/// A recording notes each draw, and a replay returns it again. Only the task that runs the transaction draws from the
/// tape: an effect, or a task that a reducer has started, runs at any time, and what it reports is an event of its own.
package final class DrawTape: Sendable {
  private struct State {
    /// The draws so far; in a replay, the draws that are left.
    var draws: [RecordedTransaction.Draw] = []
    /// The task that runs the transaction; nil if no task does.
    var task: Int?
    var isReplaying = false
    /// The first draw that a replay wanted and the recording does not have.
    var missing: String?
  }

  /// The tape of the transaction that is under way.
  @TaskLocal private static var current: DrawTape?

  private let state = Mutex(State())

  /// A tape without draws.
  package init() {}

  /// Runs a transaction and notes its draws.
  ///
  /// - Parameter body: runs the transaction.
  /// - Returns: what `body` returns, and the draws in order.
  package func record<Result>(_ body: () -> Result) -> (result: Result, draws: [RecordedTransaction.Draw]) {
    let result = run(State(task: Self.task), body)
    return (result, state.withLock { $0.draws })
  }

  /// Runs a transaction with recorded draws.
  ///
  /// - Parameters:
  ///   - draws: the recorded draws.
  ///   - body: runs the transaction.
  /// - Returns: what `body` returns, and the name of the first draw that was not recorded, which got a live value; nil
  ///   for none.
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

  // Identifies the task: a task that a reducer starts inherits the tape, and does not belong to the transaction.
  private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  // MARK: Draws

  /// A value from the tape in a replay; otherwise the live one, which the tape notes while it records.
  static func draw<Value: Codable>(_ name: String, _ live: () -> Value) -> Value {
    guard let tape = current, tape.state.withLock({ $0.task }) == task else { return live() }
    if let text = tape.take(name) {
      if let json = try? StateCoder.read(text), let value = try? StateCoder.decode(Value.self, from: json) {
        return value
      }
      tape.state.withLock { $0.missing = $0.missing ?? name }
    }
    // Without a tape, so that draws within `live` are not noted as well.
    let value = $current.withValue(nil, operation: live)
    tape.note(name, value)
    return value
  }

  /// Removes and returns the next draw of a name; nil if there is none, or the tape is not replayed.
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
  /// Draws a value from the outside that a recording has to contain.
  ///
  /// A reducer that asks anything but these dependencies, such as a feature flag or a table in memory, asks through
  /// this function. In a recorded transaction the value is noted, and a replay returns it without calling `value`.
  /// Anywhere else, as in an effect, this just calls `value`.
  ///
  ///     let isNew = Dependencies.draw("flag") { flags.isOn("new") }
  ///
  /// - Parameters:
  ///   - name: names the draw in the recording; a replay returns the draws of one name in their order.
  ///   - value: gets the live value.
  /// - Returns: the recorded or the live value.
  public static func draw<Value: Codable>(_ name: String, _ value: () -> Value) -> Value {
    DrawTape.draw(name, value)
  }
}
