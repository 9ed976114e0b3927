/// A kind of message from the server that a client gets if its `hello` names the kind.
public enum ClientFeature: String, Sendable, CaseIterable {
  /// `clients`: who is connected to the session.
  case clients
}
