import CustomDump
import RibCore
import Wire

/// The texts of failed assertions: what was expected, what happened instead, why that may be, and what to do.
enum Failure {
  // MARK: States

  static func difference<Value>(_ what: String, expected: Value, actual: Value) -> String {
    let difference = diff(expected, actual, format: .proportional) ?? "Both look the same: is == right?"
    return "\(what)\n\n\(difference.indented)\n\n(expected: −, actual: +)"
  }

  /// Describes how two states, which need not be `Equatable`, differ; nil if they look the same.
  static func differenceOfStates(_ node: String, _ state: Any, _ restored: Any) -> String? {
    diff(state, restored, format: .proportional).map { difference in
      """
      The state of \(node) does not come back as it was when it is saved and restored.

      \(difference.indented)

      (saved: −, restored: +)

      Is a property left out of its coding? If that is meant, set checksStates of the TestSession to false.
      """
    }
  }

  static func unreadableState(_ node: String, _ error: any Error) -> String {
    """
    The state of \(node) cannot be read once it is saved: \(error)

    A session that comes back into memory builds the riblet anew, and what it knew is lost. Its `init(from:)` has to \
    read what its `encode(to:)` writes.
    """
  }

  static func unsteadyState(_ node: String, _ place: String, first: JSONValue?, then: JSONValue?) -> String {
    """
    The state of \(node) is written in another way each time, at \(name(ofPlace: place)):

      first: \(first?.text ?? "nothing")
      then:  \(then?.text ?? "nothing")

    A store has what was written before, and is told what has changed. Let its `encode(to:)` depend on the value alone.
    """
  }

  static func unequalState(_ node: String, _ place: String, saved: JSONValue?, restored: JSONValue?) -> String {
    """
    The state of \(node) does not come back as it was when it is saved and restored, though == calls both the same, at \
    \(name(ofPlace: place)):

      saved:    \(saved?.text ?? "nothing")
      restored: \(restored?.text ?? "nothing")

    Does an == there ignore something that the coding loses? Or does an `encode(to:)` write what is equal in more than \
    one way, as an array made of a set?
    """
  }

  static func secretShown(_ node: String, _ leak: SecretLeak) -> String {
    """
    The view state of \(node) has a \(leak.type) at \(name(of: leak)). Clients would see null.

    A secret belongs in an action and in the effect that the action starts: leave it out of the view state.
    """
  }

  static func secretSaved(_ node: String, _ leak: SecretLeak) -> String {
    """
    The state of \(node) has a \(leak.type) at \(name(of: leak)), which a store would keep as null: once the session has left \
    memory, it has no value.

    Hand the secret to the effect that uses it. One that the state has to keep until the next action is a property with \
    @Transient; the riblet then asks for it again after a restoration.
    """
  }

  private static func name(of leak: SecretLeak) -> String { name(ofPlace: leak.path.joined(separator: ".")) }

  /// The place in words: a pointer to the whole document is an empty text.
  private static func name(ofPlace place: String) -> String { place.isEmpty ? "the whole of it" : place }

  static func undrawn(_ name: String) -> String {
    """
    A reducer draws \(name), and did not then: the recording has nothing to give it. What follows would differ by chance.
    """
  }

  static func lost(_ nodes: [String]) -> String {
    """
    Not every node of the session was restored:

    \(nodes.list)

    Such a node is built anew, and what it knew is gone.
    """
  }

  static func inexactPatch(
    _ origin: String, _ node: String?, _ place: String, client: JSONValue?, server: JSONValue?
  ) -> String {
    """
    The patch of \(origin) leaves a client with another view than the server has\(node.map { ", of \($0)" } ?? ""), \
    at \(name(ofPlace: place)):

      client: \(client?.text ?? "nothing")
      server: \(server?.text ?? "nothing")

    Does a type there write its own difference? Its `writeDifference(from:into:using:)` has to be exact, to the byte, \
    and must not ask an == that ignores something, as that of strings ignores which UTF-8 they are. Or its \
    `encode(to:)` is not deterministic, for it depends on more than the value.
    """
  }

  static func staleView(
    _ origin: String, _ node: String?, _ place: String, shown: JSONValue?, then: JSONValue?
  ) -> String {
    """
    After \(origin) the view\(node.map { " of \($0)" } ?? "") is another when it is asked for once more, at \
    \(name(ofPlace: place)):

      shown: \(shown?.text ?? "nothing")
      then:  \(then?.text ?? "nothing")

    A view is asked for when its state has changed: let `view(_:)` depend on the state alone, neither on a clock nor on an \
    object that the riblet or the state refers to.
    """
  }

  static func staleRoute(_ origin: String, _ node: String, _ route: String) -> String {
    """
    After \(origin) the route \(route) of \(node) has other children than its state asks for.

    Children are looked at when the state has changed: let what the route leads to depend on the state alone, not on an \
    object that the state refers to.
    """
  }

  static func unwritableView(_ origin: String, _ error: any Error) -> String {
    """
    The view after \(origin) cannot be written a second time: \(error)

    Let the `encode(to:)` of what is shown depend on the value alone.
    """
  }

  static func unexpectedChange<State>(_ origin: String, before: State, after: State) -> String {
    difference(
      "\(origin) changed the state, and the test does not say how. Give it a closure that makes the expected change.",
      expected: before, actual: after)
  }

  static func wrongState<State>(_ origin: String, expected: State, actual: State) -> String {
    difference("\(origin) left another state than the test expects.", expected: expected, actual: actual)
  }

  static func noChange(_ origin: String) -> String {
    """
    \(origin) was expected to change the state, and the expected state is the one before. Leave out the closure, or make a \
    change in it: it begins with the state before.
    """
  }

  // MARK: What happened

  static func notAsserted(_ origin: String, _ happenings: [String]) -> String {
    """
    \(origin): \(happenings.count == 1 ? "this has" : "these have") happened before, and \
    \(happenings.count == 1 ? "was" : "were") not asserted:

    \(happenings.list)

    Assert \(happenings.count == 1 ? "it" : "each") in order with receive, receiveChange or expectOutput, or set \
    exhaustivity to .off.
    """
  }

  static func leftAtTheEnd(_ happenings: [String]) -> String {
    """
    The test has ended, and \(happenings.count == 1 ? "this has" : "these have") not been asserted:

    \(happenings.list)

    Assert \(happenings.count == 1 ? "it" : "each") with receive, receiveChange or expectOutput, or set exhaustivity to \
    .off.
    """
  }

  static func another(_ expected: String, _ actual: String, difference: String?) -> String {
    """
    Expected \(expected), but what happened next is another:

      \(actual)
    \(difference.map { "\n\($0.indented)\n" } ?? "")
    Things are asserted in the order in which they happen.
    """
  }

  static func others(_ expected: String, _ happenings: [String], difference: String?) -> String {
    """
    Expected \(expected), but what happened is:

    \(happenings.list)
    \(difference.map { "\n\($0.indented)" } ?? "")
    """
  }

  static func nothing(_ expected: String, _ effects: [String]) -> String {
    let why =
      effects.isEmpty
      ? """
      No effect is in flight: no reducer has returned one that sends it, or it has ended or was cancelled. Return the effect, \
      or leave the assertion out.
      """
      : "In flight:\n\n\(effects.list)"
    return "Expected \(expected), but nothing more has happened. \(why)"
  }

  static func skipped(_ happenings: [String]) -> String {
    "Passed over, as exhaustivity is off:\n\n\(happenings.list)"
  }

  static func skippedChange<State>(_ origin: String, asserted: State, actual: State) -> String {
    difference(
      "Passed over, as exhaustivity is off: \(origin) changed more than the test asserts.", expected: asserted,
      actual: actual)
  }

  static let nothingToSkip = """
    There is nothing to skip: all that has happened was asserted. Leave the call out, or pass strict: false.
    """
  static let noEffectToSkip = """
    There is no effect to skip: none of the riblet's is in flight. Leave the call out, or pass strict: false.
    """

  // MARK: Effects

  static func describe(_ flight: EffectFlight, _ runner: EffectRunner?) -> String {
    let name = "The effect \(flight.name) of \(flight.effect.typeName), started by \(flight.origin.description),"
    if let time = runner?.sleepingTime(of: flight) {
      return
        "\(name) sleeps on the test's clock for another \(time): advance it with clock.advance(by: \(time.literal))."
    }
    return """
      \(name) waits for something outside of the test's control: neither the test's clock nor the riblet, but a real sleep, \
      a socket, another executor, or a stream that the test has to feed. Give the riblet a dependency that the test \
      controls, or wait for it with `await waitForEffects()`.
      """
  }

  static func inFlightAtTheEnd(_ effect: String) -> String {
    """
    The test has ended, and an effect is still in flight:

    \([effect].list)

    Let it end, or send what cancels it. One that is meant to run as long as its riblet is skipped with skipEffectsInFlight().
    """
  }

  static func nothingToWaitFor(_ effects: [String]) -> String {
    effects.isEmpty
      ? "There is nothing to wait for: no effect is in flight."
      : """
      There is nothing to wait for outside of the test:

      \(effects.list)

      One that sleeps and waits for something else besides is waited for with evenAsleep: true.
      """
  }

  static let effectsAreHeld = """
    There is nothing to wait for: effects are held until the test runs them with runNextEffect(). Start the session with \
    effects: .running.
    """

  static func waitedTooLong(_ limit: Duration, _ effects: [String]) -> String {
    """
    Nothing came for \(limit). In flight:

    \(effects.list)
    """
  }

  static func thrown(_ flight: EffectFlight, _ error: any Error) -> String {
    """
    The effect \(flight.name) of \(flight.effect.typeName), started by \(flight.origin.description), has thrown \(error). A \
    server logs that and the riblet never learns of it: catch the error in the effect, and send what follows from it.
    """
  }

  static func overflow(_ flight: EffectFlight?) -> String {
    let who =
      flight.map { ", probably \($0.name) of \($0.effect.typeName), started by \($0.origin.description)," } ?? ""
    return """
      An effect\(who) sends without end and never waits: more than \(EffectRunner.arrivalLimit) reports arrived at one time. \
      All effects were cancelled. Let it wait for the clock between two reports.
      """
  }

  // MARK: Refusals

  static func refused(_ error: any Error, _ what: String) -> String {
    guard let refusal = error as? Refusal, refusal.code == .refused else {
      return "The runtime has refused \(what): \((error as? Refusal)?.message ?? "\(error)")"
    }
    return """
      A riblet has refused \(what): \(refusal.message)

      A refusal that is meant is asserted with refused:, and the reason.
      """
  }

  static func notRefused<State>(_ origin: String, _ reason: String, before: State, after: State) -> String {
    let text = """
      \(origin) was to be refused with \(String(reflecting: reason)), and was done. Let a reducer that it comes to \
      return .refuse(…) in this state.
      """
    guard let change = diff(before, after, format: .proportional) else { return text }
    return "\(text)\n\n\(change.indented)\n\n(before: −, after: +)"
  }

  static func refusedOtherwise(_ origin: String, _ reason: String, _ error: any Error) -> String {
    guard let refusal = error as? Refusal else { return refused(error, origin) }
    guard refusal.code == .refused else {
      return """
        \(origin) was to be refused by a riblet with \(String(reflecting: reason)), and the runtime has refused it as \
        \(refusal.code.rawValue): \(refusal.message)
        """
    }
    return difference(
      "\(origin) was refused for another reason than the test expects.", expected: reason, actual: refusal.message)
  }

  static func refusedReport(_ flight: EffectFlight, _ refusal: Refusal) -> String {
    """
    What came of the effect \(flight.name) of \(flight.effect.typeName), started by \(flight.origin.description), was \
    refused: \(refusal.message)

    It is undone, and a server logs it: neither the riblet nor a client learns of it. Refuse what a client asks for, and \
    note in the state what an effect has to say. A test that means the refusal runs its effects one by one, with \
    effects: .held.
    """
  }
}

extension String {
  fileprivate var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }.joined(separator: "\n")
  }
}

extension [String] {
  fileprivate var list: String { map { "  - \($0)" }.joined(separator: "\n") }
}

extension Duration {
  /// The duration as source code.
  fileprivate var literal: String {
    let (seconds, attoseconds) = components
    if attoseconds == 0 { return ".seconds(\(seconds))" }
    if attoseconds % 1_000_000_000_000_000 == 0 {
      return ".milliseconds(\(seconds * 1000 + attoseconds / 1_000_000_000_000_000))"
    }
    guard attoseconds % 1_000_000_000 == 0 else {
      return "Duration(secondsComponent: \(seconds), attosecondsComponent: \(attoseconds))"
    }
    return ".nanoseconds(\(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))"
  }
}
