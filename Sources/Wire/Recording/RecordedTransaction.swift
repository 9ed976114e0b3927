/// One transaction of a session as it was recorded: its event, what reducers drew from the outside, and the outcome.
///
/// What only an app can read, such as actions and states, is kept as JSON text.
package struct RecordedTransaction: Equatable, Sendable {
  /// A value from the outside that a reducer was given: a date, random bits or the like.
  package struct Draw: Equatable, Sendable {
    /// The draw's name: `date`, `uuid`, `randomBits`, `clock`, or an app's own.
    package let name: String
    /// The value, as JSON.
    package let value: String

    /// A draw with its name and its value as JSON.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The client that has acted.
  package struct Client: Equatable, Sendable {
    /// The client's number within the session.
    package let id: Int
    /// The number of the client's action.
    package let number: Int
    /// The subject of the person behind the client; nil if nobody was signed in.
    package let subject: String?
    /// The person's issuer; nil if that is the server's own authenticator, or nobody was signed in.
    package let issuer: String?
    /// The person's roles, sorted.
    package let roles: [String]

    /// A client that has acted.
    ///
    /// - Parameters:
    ///   - id: its number within the session.
    ///   - number: its action's.
    ///   - subject: the subject of the person behind it.
    ///   - issuer: the person's issuer; nil if that is the server's own authenticator.
    ///   - roles: the person's roles, sorted.
    package init(id: Int, number: Int, subject: String? = nil, issuer: String? = nil, roles: [String] = []) {
      self.id = id
      self.number = number
      self.subject = subject
      self.issuer = issuer
      self.roles = roles
    }
  }

  /// An effect, identified in a way that holds in another run as well.
  package struct Effect: Equatable, Sendable {
    /// The id of the effect's node.
    package let node: Int
    /// The type name of the node's riblet.
    package let type: String
    /// The effect's idempotency key.
    package let key: String
    /// The effect's name; nil if it has none.
    package let id: String?

    /// An effect of a node.
    ///
    /// - Parameters:
    ///   - node: the node's id.
    ///   - type: the type name of the node's riblet.
    ///   - key: the effect's idempotency key.
    ///   - id: the effect's name; nil if it has none.
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
    /// A value whose type is not `Encodable`, described in words: it cannot be replayed.
    case opaque(String)
  }

  /// The event that began the transaction.
  package enum Event: Equatable, Sendable {
    /// The session started.
    case start
    /// The session was restored from a snapshot, given as JSON.
    case restore(String)
    /// A client's action, as JSON; the client is nil if it was not recorded.
    case act(Client?, to: NodeAddress, action: String)
    /// A client's use of the back button.
    case back(Client?, to: NodeAddress)
    /// The session was made active or inactive.
    case setActive(Bool)
    /// An effect has sent something.
    case report(Effect, Report)
    /// An effect has returned or thrown.
    case ended(Effect, hasFailed: Bool)
    /// A step of a walk changed a node, with this id and type name: that is code, which cannot be recorded.
    case walk(node: Int, type: String)
  }

  /// The outcome of the transaction.
  package enum Outcome: Equatable, Sendable {
    /// No patch: the event caused no transaction, and is only noted.
    case nothing
    /// The whole view, a JSON document.
    case view(String)
    /// The operations that changed the view, a JSON array.
    case patch(String)
    /// The transaction was rolled back, with this code and this reason.
    case refused(Nack.Code, String)
  }

  /// The transaction's number within the session; nil if it was rolled back, or if there was no transaction.
  package var number: UInt64?
  /// When the transaction was done, in milliseconds since 1970.
  package var time: Int
  /// The event that began the transaction.
  package var event: Event
  /// What reducers drew from the outside, in order.
  package var draws: [Draw]
  /// The outcome.
  package var outcome: Outcome

  /// A transaction.
  ///
  /// - Parameters:
  ///   - number: its number within the session; nil if it was rolled back, or if there was no transaction.
  ///   - time: when it was done, in milliseconds since 1970.
  ///   - event: the event that began it.
  ///   - draws: what reducers drew from the outside, in order.
  ///   - outcome: its outcome.
  package init(number: UInt64?, time: Int, event: Event, draws: [Draw] = [], outcome: Outcome) {
    self.number = number
    self.time = time
    self.event = event
    self.draws = draws
    self.outcome = outcome
  }

  /// Changes a view as the transaction did.
  ///
  /// - Parameter view: the view before the transaction; unchanged if this throws.
  /// - Throws: ``JSONError`` or ``PatchError`` if the recording is not whole.
  package func apply(to view: inout JSONValue) throws {
    switch outcome {
    case .nothing, .refused: break
    case .view(let text): view = JSONValue(try Self.read(text))
    case .patch(let text): try view.apply(try Self.read(text).elements.map { try PatchOperation($0) })
    }
  }

  private static func read(_ text: String) throws(JSONError) -> JSONElement { try StateCoder.read(text) }
}
