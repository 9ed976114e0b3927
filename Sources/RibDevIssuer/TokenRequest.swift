/// What a token is to contain: a subject, roles, and how long it is valid.
package struct TokenRequest: Equatable, Sendable {
  /// How long a token is valid unless the request says otherwise, in seconds.
  package static let defaultSeconds = 300
  /// The longest time that a token is valid, in seconds.
  static let longestLife = 86_400
  /// The longest subject, in bytes: what `Identity` has room for.
  static let longestSubject = 255
  /// How many roles a token may have.
  static let mostRoles = 32
  /// The longest role, in bytes.
  static let longestRole = 64

  /// The person's subject.
  package let subject: String
  /// The person's roles.
  package var roles: [String] = []
  /// How long the token is valid, in seconds.
  package var seconds = Self.defaultSeconds

  /// Why such a token is not signed, as a sentence; nil if the request is valid.
  package var fault: String? {
    if !(1...Self.longestSubject).contains(subject.utf8.count) {
      return "A subject has 1 to \(Self.longestSubject) bytes."
    }
    if roles.count > Self.mostRoles { return "A token has at most \(Self.mostRoles) roles." }
    if !roles.allSatisfy({ (1...Self.longestRole).contains($0.utf8.count) }) {
      return "A role has 1 to \(Self.longestRole) bytes."
    }
    if !(1...Self.longestLife).contains(seconds) { return "A token is good for 1 to \(Self.longestLife) seconds." }
    return nil
  }

  /// A request.
  ///
  /// - Parameters:
  ///   - subject: the person's subject.
  ///   - roles: the person's roles.
  ///   - seconds: how long the token is valid.
  package init(subject: String, roles: [String] = [], seconds: Int = Self.defaultSeconds) {
    self.subject = subject
    self.roles = roles
    self.seconds = seconds
  }
}
