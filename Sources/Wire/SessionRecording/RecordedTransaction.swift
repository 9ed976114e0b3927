/// One transaction of a session as a recording has it: what came, what was drawn meanwhile, and what came of it.
///
/// Values that only an app can read are JSON texts.
public struct RecordedTransaction: Equatable, Sendable {
  /// A date, random bits or the like, that a reducer was given.
  public struct Draw: Equatable, Sendable {
    /// What was drawn: `date`, `uuid`, `randomBits`, `clock`, or an app's own name.
    public let name: String
    /// What was given out, as JSON.
    public let value: String

    /// A draw.
    ///
    /// - Parameters:
    ///   - name: what was drawn.
    ///   - value: what was given out, as JSON.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Who has acted.
  public struct Client: Equatable, Sendable {
    /// The client's number within the session.
    public let id: Int
    /// The action's number.
    public let number: Int

    /// A client's action.
    ///
    /// - Parameters:
    ///   - id: the client's number within the session.
    ///   - number: the action's number.
    public init(id: Int, number: Int) {
      self.id = id
      self.number = number
    }
  }

  /// An effect, as it can be told from others in another run.
  public struct Effect: Equatable, Sendable {
    /// The node that it belongs to.
    public let node: Int
    /// The type of the riblet there.
    public let type: String
    /// Its idempotency key.
    public let key: String
    /// Its name, if it has one.
    public let id: String?

    /// An effect.
    ///
    /// - Parameters:
    ///   - node: the node that it belongs to.
    ///   - type: the type of the riblet there.
    ///   - key: its idempotency key.
    ///   - id: its name, if it has one.
    public init(node: Int, type: String, key: String, id: String?) {
      self.node = node
      self.type = type
      self.key = key
      self.id = id
    }
  }

  /// What an effect has sent.
  public enum Report: Equatable, Sendable {
    /// An internal action, as JSON.
    case action(String)
    /// An output, as JSON.
    case output(String)
    /// Something that has no JSON, described in words: it cannot be replayed.
    case opaque(String)
  }

  /// What began the transaction.
  public enum Event: Equatable, Sendable {
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
  public enum Outcome: Equatable, Sendable {
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
  public var number: UInt64?
  /// When it was done, in milliseconds since 1970.
  public var time: Int
  /// What began it.
  public var event: Event
  /// What reducers drew, in order.
  public var draws: [Draw]
  /// What came of it.
  public var outcome: Outcome

  /// A transaction.
  ///
  /// - Parameters:
  ///   - number: its number within the session; nil if it was undone, or was none.
  ///   - time: when it was done, in milliseconds since 1970.
  ///   - event: what began it.
  ///   - draws: what reducers drew, in order.
  ///   - outcome: what came of it.
  public init(number: UInt64?, time: Int, event: Event, draws: [Draw] = [], outcome: Outcome) {
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
  public func apply(to view: inout JSONValue) throws {
    switch outcome {
    case .nothing, .refused: break
    case .view(let text): view = JSONValue(try Self.read(text))
    case .patch(let text): try view.apply(try Self.read(text).elements.map { try PatchOperation($0) })
    }
  }

  private static func read(_ text: String) throws(JSONError) -> JSONElement { try StateCoder.read(text) }
}
