/// `welcome`: the answer to `hello`.
public struct Welcome: Equatable, Sendable {
  /// The durability of an action that was answered: the worst event that it survives.
  public enum Durability: String, Sendable {
    /// A power cut: the action is on disk.
    case disk
    /// The end of the server's process, even by a signal.
    case process
    /// Nothing: the session is only in the server's memory.
    case none

    /// Reads the durability in a message of this kind.
    init(_ json: JSONElement, in kind: StaticString) throws(MessageError) {
      guard let durability = Durability(rawValue: try json.name(MessageKey.durability, in: kind)) else {
        throw .missing(MessageKey.durability, "\"disk\", \"process\" or \"none\"", in: kind)
      }
      self = durability
    }
  }

  /// The limits of the messages that a client sends; 0 means that there is no limit.
  public struct Limits: Equatable, Sendable {
    /// The greatest number of bytes of a message.
    public var messageBytes: Int
    /// The number of actions a second in the long run; above it the server reads the connection more slowly.
    public var actionsPerSecond: Int
    /// The number of actions that may come at once.
    public var actionBurst: Int

    /// The limits of a client; 0 means no limit.
    ///
    /// - Parameters:
    ///   - messageBytes: the greatest number of bytes of a message.
    ///   - actionsPerSecond: the number of actions a second in the long run.
    ///   - actionBurst: the number of actions that may come at once.
    package init(messageBytes: Int = 65_536, actionsPerSecond: Int = 50, actionBurst: Int = 100) {
      self.messageBytes = messageBytes
      self.actionsPerSecond = actionsPerSecond
      self.actionBurst = actionBurst
    }
  }

  /// What a client may send besides the messages of every version.
  public enum Feature: String, Sendable, CaseIterable {
    /// `auth`: shows a credential in the open connection.
    case auth
  }

  /// The session's name.
  public var sessionID: String
  /// The client's number within the session.
  public var clientID: Int
  /// The secret with which the client proves its identity when it resumes.
  public var token: String
  /// The epoch: the life of the tree in memory in which revisions are counted.
  public var epoch: String
  /// The view's revision.
  public var revision: Int
  /// The greatest action of this client that is done or refused.
  public var number: Int
  /// Refusals that the client may have missed.
  public var nacks: [Nack]
  /// The number of refusals before the first of ``nacks`` that the server no longer has, as the client has acknowledged none for long.
  public var nacksOmitted: Int
  /// Whether the session existed before this `hello`.
  public var resumed: Bool
  /// The durability of answered actions.
  public var durability: Durability
  /// The server's version.
  public var build: String
  /// How long the session lives without a connection, in milliseconds.
  public var timeToLive: Int
  /// After how many milliseconds of silence the client sends a `ping`.
  public var heartbeat: Int
  /// The limits of the messages that the client sends.
  public var limits: Limits
  /// What the client may do in the session.
  public var scope: ShareScope
  /// What the client may send besides the messages of every version; features unknown to this version are left out.
  public var features: [Feature]
  /// In how many milliseconds the client's identity ends; nil if the identity does not end, or the client has none.
  public var identityExpires: Int?

  /// The answer to a `hello`.
  ///
  /// - Parameters:
  ///   - sessionID: the session's name.
  ///   - clientID: the client's number within the session, counted from 1.
  ///   - token: 256 random bits, as text.
  ///   - epoch: the life of the tree in memory.
  ///   - revision: the revision of the view.
  ///   - number: the greatest action of this client that is done or refused.
  ///   - nacks: refusals that the client has not acknowledged.
  ///   - nacksOmitted: how many before these are not kept.
  ///   - resumed: whether the session existed before this `hello`.
  ///   - durability: the durability of answered actions.
  ///   - build: the server's version.
  ///   - timeToLive: how long the session lives without a connection, in milliseconds.
  ///   - heartbeat: after how much silence the client sends a `ping`, in milliseconds.
  ///   - limits: what the client may send.
  ///   - scope: what the client may do in the session.
  ///   - features: what the client may send besides the messages of every version.
  ///   - identityExpires: in how many milliseconds the client's identity ends; nil if the identity does not end, or the client has none.
  package init(
    sessionID: String, clientID: Int, token: String, epoch: String, revision: Int, number: Int, nacks: [Nack] = [],
    nacksOmitted: Int = 0, resumed: Bool, durability: Durability, build: String, timeToLive: Int, heartbeat: Int,
    limits: Limits,
    scope: ShareScope = .act, features: [Feature] = [], identityExpires: Int? = nil
  ) {
    self.sessionID = sessionID
    self.clientID = clientID
    self.token = token
    self.epoch = epoch
    self.revision = revision
    self.number = number
    self.nacks = nacks
    self.nacksOmitted = nacksOmitted
    self.resumed = resumed
    self.durability = durability
    self.build = build
    self.timeToLive = timeToLive
    self.heartbeat = heartbeat
    self.limits = limits
    self.scope = scope
    self.features = features
    self.identityExpires = identityExpires
  }
}

extension Welcome {
  init(_ json: JSONElement) throws(MessageError) {
    let kind = MessageKind.welcome
    let durability = try Durability(json, in: kind)
    guard let resumed = json[MessageKey.resumed]?.bool else {
      throw .missing(MessageKey.resumed, "a boolean", in: kind)
    }
    guard let limits = json[MessageKey.limits], limits.kind == .object else {
      throw .missing(MessageKey.limits, "an object", in: kind)
    }
    var nacks: [Nack] = []
    for nack in try json.array(MessageKey.nacks, in: kind).elements { nacks.append(try Nack(nack)) }
    self.init(
      sessionID: try json.name(MessageKey.sessionID, in: kind),
      clientID: try json.number(MessageKey.clientID, in: kind),
      token: try json.name(MessageKey.token, in: kind), epoch: try json.name(MessageKey.epoch, in: kind),
      revision: try json.number(MessageKey.revision, in: kind), number: try json.number(MessageKey.number, in: kind),
      nacks: nacks, nacksOmitted: json[MessageKey.nacksOmitted]?.messageNumber ?? 0, resumed: resumed,
      durability: durability, build: try json.text(MessageKey.build, in: kind),
      timeToLive: try json.number(MessageKey.timeToLive, in: kind),
      heartbeat: try json.number(MessageKey.heartbeat, in: kind),
      limits: Limits(
        messageBytes: try limits.number(MessageKey.messageBytes, in: kind),
        actionsPerSecond: try limits.number(MessageKey.actionsPerSecond, in: kind),
        actionBurst: try limits.number(MessageKey.actionBurst, in: kind)),
      scope: json[MessageKey.scope]?.name.flatMap(ShareScope.init(rawValue:)) ?? .act,
      features: json[MessageKey.features]?.elements.compactMap { $0.name.flatMap(Feature.init(rawValue:)) } ?? [],
      identityExpires: json[MessageKey.auth]?[MessageKey.expires]?.messageNumber)
  }

  package func write(into json: inout JSONWriter) {
    json.member(MessageKey.sessionID, sessionID)
    json.member(MessageKey.clientID, clientID)
    json.member(MessageKey.token, token)
    json.member(MessageKey.epoch, epoch)
    json.member(MessageKey.revision, revision)
    json.member(MessageKey.number, number)
    json.key(MessageKey.nacks)
    json.beginArray()
    for nack in nacks {
      json.beginObject()
      nack.write(into: &json)
      json.endObject()
    }
    json.endArray()
    if nacksOmitted > 0 { json.member(MessageKey.nacksOmitted, nacksOmitted) }
    json.key(MessageKey.resumed)
    json.bool(resumed)
    json.member(MessageKey.durability, durability.rawValue)
    json.member(MessageKey.build, build)
    json.member(MessageKey.timeToLive, timeToLive)
    json.member(MessageKey.heartbeat, heartbeat)
    json.key(MessageKey.limits)
    json.beginObject()
    json.member(MessageKey.messageBytes, limits.messageBytes)
    json.member(MessageKey.actionsPerSecond, limits.actionsPerSecond)
    json.member(MessageKey.actionBurst, limits.actionBurst)
    json.endObject()
    if scope != .act { json.member(MessageKey.scope, scope.rawValue) }
    if !features.isEmpty {
      json.key(MessageKey.features)
      json.beginArray()
      for feature in features { json.string(feature.rawValue) }
      json.endArray()
    }
    guard let identityExpires else { return }
    json.key(MessageKey.auth)
    json.beginObject()
    json.member(MessageKey.expires, identityExpires)
    json.endObject()
  }
}
