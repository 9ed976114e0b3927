/// A client of a session that is connected, as the session's other clients are told.
public struct ConnectedClient: Equatable, Sendable {
  /// The client's number within the session.
  public var id: Int
  /// Whether the client may act, or only look.
  public var scope: ShareScope

  /// A client that is connected.
  ///
  /// - Parameters:
  ///   - id: the client's number within the session.
  ///   - scope: what the client may do.
  public init(id: Int, scope: ShareScope) {
    self.id = id
    self.scope = scope
  }
}

extension ConnectedClient {
  init(_ json: JSONElement) throws(MessageError) {
    id = try json.number(MessageKey.clientID, in: MessageKind.clients)
    // As in a `welcome`, what a later server may say is no less than to act.
    scope = json[MessageKey.scope]?.name.flatMap(ShareScope.init(rawValue:)) ?? .act
  }

  func write(into json: inout JSONWriter) {
    json.beginObject()
    json.member(MessageKey.clientID, id)
    json.member(MessageKey.scope, scope.rawValue)
    json.endObject()
  }
}
