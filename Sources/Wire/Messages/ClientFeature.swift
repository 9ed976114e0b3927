/// What a client wants to be told besides what every client is.
public enum ClientFeature: String, Sendable, CaseIterable {
  /// `clients`: who is connected to the session.
  case clients
}
