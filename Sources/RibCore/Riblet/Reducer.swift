import Wire

/// A part of a riblet's logic that is written once and used by several: it runs after the riblet's own reducer, in the same
/// transaction.
///
///     var reducers: [Reducer<Self>] {
///       [
///         .onChange(of: \.query) { old, new, state in new.isEmpty ? .cancel(id: "search") : search(new) },
///         .printing(),
///       ]
///     }
///
/// A reducer of one's own is a function that returns one, for whatever riblet:
///
///     func counting<Source: Interactor>(_ counter: Counter) -> Reducer<Source> {
///       Reducer { _, event in
///         if case .viewAction = event { counter.increment() }
///         return .none
///       }
///     }
///
/// The reducers run in the order of the list, each on the state that the one before has left, after every pass of the riblet's own:
/// an action, new props, `didRestore`, `didBecomeActive`, a step of a walk, and a step back that has taken a child away. They do
/// not run after `willResignActive`, after which nothing is started any more, and not when a child whose state is a part of this
/// one changes that: give the child an output where the parent is to follow.
public struct Reducer<Source: Interactor> {
  /// What the riblet's own reducer has handled.
  public enum Event {
    /// What a client asks for.
    case viewAction(Source.ViewAction)
    /// What an effect, a child or the riblet itself has sent.
    case internalAction(Source.InternalAction)
    /// What the parent tells.
    case props(Source.Props)
    /// `didRestore`.
    case restoration
    /// `didBecomeActive`.
    case activation
    /// A child was taken out of the state by a step back.
    case dismissal
    /// A step of a walk has changed the state.
    case walk
  }

  /// Changes the state after the riblet's own reducer, and says what follows.
  typealias Body = (_ state: inout Source.State, _ event: Event) -> Effect<Source>

  /// Looks at the state before the riblet's own reducer.
  let begin: (Source.State) -> Body

  /// A reducer that need not know what the state was before.
  ///
  /// - Parameter body: changes the state after the riblet's own reducer, and returns what to start, send or say.
  public init(_ body: @escaping (_ state: inout Source.State, _ event: Event) -> Effect<Source>) {
    begin = { _ in body }
  }

  /// A reducer that looks at the state before the riblet's own one as well.
  ///
  /// - Parameter begin: called with the state as it is before; returns what to do after.
  init(lookingBefore begin: @escaping (_ before: Source.State) -> Body) { self.begin = begin }

  /// Does something when a part of the state, or what is made of it, has become another.
  ///
  /// - Parameters:
  ///   - value: makes the value of the state.
  ///   - change: called with the value before and now; may change the state, and returns what to start, send or say.
  /// - Returns: the reducer.
  public static func onChange<Value: Equatable>(
    of value: @escaping (Source.State) -> Value,
    _ change: @escaping (_ old: Value, _ new: Value, _ state: inout Source.State) -> Effect<Source>
  ) -> Reducer {
    Reducer(lookingBefore: { before in
      let old = value(before)
      return { state, _ in
        let new = value(state)
        return old == new ? .none : change(old, new, &state)
      }
    })
  }
}

extension Reducer where Source: Riblet, Source.State: Encodable {
  /// Prints what is handled and how it changes the state, as JSON Patch: for a look while one develops.
  ///
  ///     Search viewAction textChanged("swift")
  ///       [{"op":"replace","path":"/text","value":"swift"}]
  ///
  /// - Parameter print: where to; the standard output unless given.
  /// - Returns: the reducer.
  public static func printing(to print: @escaping (String) -> Void = { Swift.print($0) }) -> Reducer {
    Reducer(lookingBefore: { before in
      { state, event in
        print("\(Source.typeName) \(event)\n  \(difference(from: before, to: state))")
        return .none
      }
    })
  }

  private static func difference(from before: Source.State, to after: Source.State) -> String {
    var patch = PatchWriter()
    do throws(CaptureError) {
      try StateCoder.makeEncoder().writeDifference(from: before, to: after, into: &patch)
      return "[\(String(decoding: patch.json.bytes, as: UTF8.self))]"
    } catch {
      return "the state cannot be written: \(error)"
    }
  }
}

extension Reducer.Event: CustomStringConvertible {
  /// The kind, and what was handled: `viewAction addTapped`.
  public var description: String {
    switch self {
    case .viewAction(let action): "viewAction \(action)"
    case .internalAction(let action): "internalAction \(action)"
    case .props(let props): "props \(props)"
    case .restoration: "restoration"
    case .activation: "activation"
    case .dismissal: "dismissal"
    case .walk: "walk"
    }
  }

  /// As a test library is told of it.
  var cause: Reduction.Cause {
    switch self {
    case .viewAction(let action): .viewAction(action)
    case .internalAction(let action): .internalAction(action)
    case .props(let props): .props(props)
    case .restoration: .restoration
    case .activation: .activation
    case .dismissal: .dismissal
    case .walk: .walk
    }
  }
}
