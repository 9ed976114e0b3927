import RibCore
import Wire

/// What nodes tell each other over a ``Link``: JSON texts.
enum LinkMessage: Equatable {
  /// The node is there; each second. `reachesStore`: and is not suspended. `published`: how many publications it has made; what of them has not
  /// come before this never does.
  case beat(reachesStore: Bool, published: Int)
  /// A client is here whose session the receiver holds, as the store says: is it to stay there?
  case want(Want)
  /// The answer to the `want` with that number.
  case have(number: Int, Holding)
  /// The sender is about to stop: clients that it passes on are to go elsewhere within so many seconds.
  case drain(within: Int)
  /// A topic with a name has published something, the sender's publication with that number.
  case publication(number: Int, NamedPublication)
  /// Who is there at the sender.
  case presence(PresenceNews)
  /// A cluster value with a name is another one now, as the sender has written it to the store.
  case value(NamedValue)
  /// The sender publishes nothing more, after so many publications.
  case end(published: Int)

  /// A client that has come to a node that does not hold its session.
  struct Want: Equatable {
    /// Counts the sender's questions.
    let number: Int
    /// The session.
    let sessionID: String
    /// What the client has shown, and what opens the session, as the store has found.
    let claim: SessionClaim
  }

  /// What the holder of a session says.
  enum Holding: String {
    /// It is not in the holder's memory, or is not any more: whoever has asked may take it.
    case free
    /// It stays there: others are connected, or something runs that would be cut off, or it has come only now. The client is to be passed on.
    case relay
  }

  /// Reads a message.
  ///
  /// - Parameter json: what the other node has said; nil if it is no message of this version's.
  init?(_ json: JSONElement) {
    switch json["t"]?.name {
    case "beat":
      self = .beat(reachesStore: json["ok"]?.bool ?? false, published: json["n"]?.integer(Int.self) ?? 0)
    case "want":
      guard let number = json["q"]?.integer(Int.self), let id = json["sid"]?.string else { return nil }
      let claim = SessionClaim(
        tokenHash: json["hash"]?.string, client: json["cid"]?.integer(Int.self), attempt: json["try"]?.integer(Int.self)
      )
      self = .want(Want(number: number, sessionID: id, claim: claim))
    case "have":
      guard let number = json["q"]?.integer(Int.self) else { return nil }
      // What a newer version says is not that it lets go.
      self = .have(number: number, (json["a"]?.string).flatMap(Holding.init) ?? .relay)
    case "drain":
      guard let milliseconds = json["within"]?.integer(Int.self), milliseconds >= 0 else { return nil }
      self = .drain(within: min(milliseconds / 1000, 86_400))
    case "pub":
      guard let number = json["n"]?.integer(Int.self), let topic = json["topic"]?.string else { return nil }
      let (key, value) = (json["key"].map { Array($0.source.utf8) }, json["v"].map { Array($0.source.utf8) })
      self = .publication(number: number, NamedPublication(topic: topic, key: key, value: value))
    case "who":
      guard let news = PresenceNews(json) else { return nil }
      self = .presence(news)
    case "val":
      guard let name = json["name"]?.string, let version = json["n"]?.integer(Int.self), let value = json["v"] else {
        return nil
      }
      self = .value(NamedValue(name: name, version: version, value: Array(value.source.utf8)))
    case "end":
      guard let count = json["n"]?.integer(Int.self) else { return nil }
      self = .end(published: count)
    default: return nil
    }
  }

  /// The message as JSON.
  var json: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("t")
    switch self {
    case .beat(let reachesStore, let count):
      json.string("beat")
      json.key("ok")
      json.bool(reachesStore)
      json.key("n")
      json.integer(count)
    case .want(let want):
      json.string("want")
      json.key("q")
      json.integer(want.number)
      json.key("sid")
      json.string(want.sessionID)
      if let hash = want.claim.tokenHash {
        json.key("hash")
        json.string(hash)
      }
      if let client = want.claim.client {
        json.key("cid")
        json.integer(client)
      }
      if let attempt = want.claim.attempt {
        json.key("try")
        json.integer(attempt)
      }
    case .have(let number, let holding):
      json.string("have")
      json.key("q")
      json.integer(number)
      json.key("a")
      json.string(holding.rawValue)
    case .drain(let seconds):
      json.string("drain")
      json.key("within")
      json.integer(seconds * 1000)
    case .publication(let number, let publication):
      json.string("pub")
      json.key("n")
      json.integer(number)
      json.key("topic")
      json.string(publication.topic)
      if let key = publication.key {
        json.key("key")
        json.raw(key.span)
      }
      if let value = publication.value {
        json.key("v")
        json.raw(value.span)
      }
    case .presence(let news):
      json.string("who")
      news.write(to: &json)
    case .value(let value):
      json.string("val")
      json.key("name")
      json.string(value.name)
      json.key("n")
      json.integer(value.version)
      json.key("v")
      json.raw(value.value.span)
    case .end(let count):
      json.string("end")
      json.key("n")
      json.integer(count)
    }
    json.endObject()
    return json.bytes
  }
}

extension PresenceNews {
  /// Reads what another node says; nil if it is nothing that this version knows.
  fileprivate init?(_ json: JSONElement) {
    switch json["is"]?.name {
    case "begin": self = .rollBegins
    case "end": self = .rollEnds
    case "wanted": self = .rollWanted
    case nil:
      guard let name = json["name"]?.string else { return nil }
      let values = { (key: String) in json[key].map { $0.elements.map { Array($0.source.utf8) } } ?? [] }
      self = .change(PresenceChange(name: name, joined: values("in"), left: values("out")))
    default: return nil
    }
  }

  fileprivate func write(to json: inout JSONWriter) {
    let state: String
    switch self {
    case .change(let change):
      json.key("name")
      json.string(change.name)
      for (key, values) in [("in", change.joined), ("out", change.left)] where !values.isEmpty {
        json.key(key)
        json.beginArray()
        for value in values { json.raw(value.span) }
        json.endArray()
      }
      return
    case .rollBegins: state = "begin"
    case .rollEnds: state = "end"
    case .rollWanted: state = "wanted"
    }
    json.key("is")
    json.string(state)
  }
}
