/// How clients sign in, as an operator sees it.
package struct SignInReport: Codable, Equatable, Sendable {
  /// A key by which credentials are checked.
  package struct Key: Codable, Equatable, Identifiable, Sendable {
    /// The key's id.
    package var id: String
    /// The algorithm, as the issuer names it.
    package var algorithm: String

    /// A key.
    package init(id: String, algorithm: String) {
      self.id = id
      self.algorithm = algorithm
    }
  }

  /// A key of the issuer's that is not used.
  package struct SkippedKey: Codable, Equatable, Identifiable, Sendable {
    /// The key's id, or its place among the keys.
    package var id: String
    /// Why it is not used.
    package var reason: String

    /// A key that is not used.
    package init(id: String, reason: String) {
      self.id = id
      self.reason = reason
    }
  }

  /// How often the authenticator has said something.
  package struct Outcome: Codable, Equatable, Identifiable, Sendable {
    /// The purpose and the outcome: `begin.invalid`.
    package let id: String
    /// The purpose of the client's credential, as the metrics call it.
    package var purpose: String
    /// The authenticator's answer.
    package var outcome: String
    /// How often, since the server's start.
    package var count: Int

    /// An outcome.
    package init(purpose: String, outcome: String, count: Int) {
      id = "\(purpose).\(outcome)"
      self.purpose = purpose
      self.outcome = outcome
      self.count = count
    }
  }

  /// An address from which too many credentials were wrong.
  package struct Throttled: Codable, Equatable, Identifiable, Sendable {
    /// The address, or the network that counts as one.
    package var id: String
    /// Seconds until it may try again.
    package var seconds: Int
  }

  /// Whether clients sign in here.
  package var isUsed = false
  /// The keys; none if the program's authenticator has not told.
  package var keys: [Key] = []
  /// Keys that are not used.
  package var skippedKeys: [SkippedKey] = []
  /// When the keys were loaded, in seconds since 1970; nil if that is not known.
  package var keysLoaded: Int?
  /// The authenticator's answer.
  package var outcomes: [Outcome] = []
  /// Addresses that may not try at present; 100 at most.
  package var throttled: [Throttled] = []

  /// A server without an authenticator.
  package init() {}
}
