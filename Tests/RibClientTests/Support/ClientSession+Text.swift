import RibClient
import Testing
import Wire

extension ClientSession {
  /// A session that is live: `hello` was said and `welcome` came.
  static func live(messageBytes: Int = 65_536) throws -> ClientSession {
    var session = ClientSession()
    _ = session.hello(app: "counter")
    _ = try session.receive(text: welcomeText(messageBytes: messageBytes))
    return session
  }

  /// A live session that was shown `{"count":0}` at revision 1.
  static func shown(messageBytes: Int = 65_536) throws -> ClientSession {
    var session = try live(messageBytes: messageBytes)
    _ = try session.receive(text: #"{"t":"snap","epoch":"E","rev":1,"n":0,"view":{"count":0}}"#)
    return session
  }

  mutating func receive(text: String) throws(ClientError) -> [ClientEvent] { try receive(Array(text.utf8).span) }

  /// Takes actions with these names into the outbox.
  mutating func act(_ names: String...) throws {
    for name in names { _ = try act(.string(name), to: .id(1)) }
  }

  /// The numbers of the actions in the outbox.
  var outboxNumbers: [Int] { outbox.map(\.number) }

  /// Receives what it cannot go on after.
  ///
  /// - Returns: what the server did wrong.
  mutating func failure(on text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
    do throws(ClientError) {
      let events = try receive(text: text)
      Issue.record("no error, but \(events)", sourceLocation: sourceLocation)
    } catch {
      if case .badServer(let reason) = error { return reason }
      Issue.record(error, sourceLocation: sourceLocation)
    }
    return ""
  }
}

func welcomeText(messageBytes: Int = 65_536) -> String {
  """
  {"t":"welcome","sid":"S","cid":1,"token":"T","epoch":"E","rev":1,"n":0,"nacks":[],"resumed":false,\
  "durability":"none","build":"0.1","ttl":60000,"heartbeat":25000,\
  "limits":{"messageBytes":\(messageBytes),"actionsPerSecond":50,"actionBurst":100}}
  """
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
