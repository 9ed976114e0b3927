/// One transaction of a session as a recording has it: what came, what was drawn meanwhile, and what came of it.
///
/// Values that only an app can read are JSON texts.
package struct RecordedTransaction: Equatable, Sendable {
  /// A date, random bits or the like, that a reducer was given.
  package struct Draw: Equatable, Sendable {
    /// What was drawn: `date`, `uuid`, `randomBits`, `clock`, or an app's own name.
    package let name: String
    /// What was given out, as JSON.
    package let value: String

    /// A draw.
    ///
    /// - Parameters:
    ///   - name: what was drawn.
    ///   - value: what was given out, as JSON.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Who has acted.
  package struct Client: Equatable, Sendable {
    /// The client's number within the session.
    package let id: Int
    /// The action's number.
    package let number: Int

    /// A client's action.
    ///
    /// - Parameters:
    ///   - id: the client's number within the session.
    ///   - number: the action's number.
    package init(id: Int, number: Int) {
      self.id = id
      self.number = number
    }
  }

  /// An effect, as it can be told from others in another run.
  package struct Effect: Equatable, Sendable {
    /// The node that it belongs to.
    package let node: Int
    /// The type of the riblet there.
    package let type: String
    /// Its idempotency key.
    package let key: String
    /// Its name, if it has one.
    package let id: String?

    /// An effect.
    ///
    /// - Parameters:
    ///   - node: the node that it belongs to.
    ///   - type: the type of the riblet there.
    ///   - key: its idempotency key.
    ///   - id: its name, if it has one.
    package init(node: Int, type: String, key: String, id: String?) {
      self.node = node
      self.type = type
      self.key = key
      self.id = id
    }
  }

  /// What an effect has sent.
  package enum Report: Equatable, Sendable {
    /// An internal action, as JSON.
    case action(String)
    /// An output, as JSON.
    case output(String)
    /// Something that has no JSON, described in words: it cannot be replayed.
    case opaque(String)
  }

  /// What began the transaction.
  package enum Event: Equatable, Sendable {
    /// The session started.
    case start
    /// The session came back from a snapshot, this JSON.
    case restore(String)
    /// A client's action, as JSON.
    case act(Client?, to: NodeAddress, action: String)
    /// A client's step back.
    case back(Client?, to: NodeAddress)
    /// The session was made active or inactive.
    case setActive(Bool)
    /// An effect has sent something.
    case report(Effect, Report)
    /// An effect has returned or thrown.
    case ended(Effect, hasFailed: Bool)
    /// A step of a walk has changed a node: code, which cannot be recorded.
    case walk(node: Int, type: String)
  }

  /// What came of it.
  package enum Outcome: Equatable, Sendable {
    /// Nothing: there was no transaction, only something to be noted.
    case nothing
    /// The view is this JSON document now.
    case view(String)
    /// The view has changed by these operations, a JSON array.
    case patch(String)
    /// The transaction was undone.
    case refused(Nack.Code, String)
  }

  /// Its number within the session; nil if it was undone, or was none.
  package var number: UInt64?
  /// When it was done, in milliseconds since 1970.
  package var time: Int
  /// What began it.
  package var event: Event
  /// What reducers drew, in order.
  package var draws: [Draw]
  /// What came of it.
  package var outcome: Outcome

  /// A transaction.
  ///
  /// - Parameters:
  ///   - number: its number within the session; nil if it was undone, or was none.
  ///   - time: when it was done, in milliseconds since 1970.
  ///   - event: what began it.
  ///   - draws: what reducers drew, in order.
  ///   - outcome: what came of it.
  package init(number: UInt64?, time: Int, event: Event, draws: [Draw] = [], outcome: Outcome) {
    self.number = number
    self.time = time
    self.event = event
    self.draws = draws
    self.outcome = outcome
  }

  /// Does to a view what the transaction did.
  ///
  /// - Parameter view: the view before it.
  /// - Throws: ``JSONError`` or ``PatchError`` if the recording is not whole; the view is unchanged then.
  package func apply(to view: inout JSONValue) throws {
    switch outcome {
    case .nothing, .refused: break
    case .view(let text): view = JSONValue(try Self.read(text))
    case .patch(let text): try view.apply(try Self.read(text).elements.map { try PatchOperation($0) })
    }
  }

  private static func read(_ text: String) throws(JSONError) -> JSONElement { try StateCoder.read(text) }
}
