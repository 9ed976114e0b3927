public import Wire

/// The client that a view action is from, for ``Interactor/authorize(_:by:in:)``.
public struct ActingClient: Sendable, Equatable {
  /// The client's number within the session, counted from 1: the first one began it.
  public let id: Int
  /// What the client may do by its invitation.
  public let scope: ShareScope
  /// The ``Identity/subject`` of the person behind the client; nil if nobody is signed in.
  public let subject: String?
  /// The ``Identity/issuer`` of that person; nil if nobody is signed in.
  public let issuer: String?
  /// The roles of that person.
  public let roles: Set<String>

  /// A client.
  ///
  /// - Parameters:
  ///   - id: its number within the session; 1 unless given.
  ///   - scope: what it may do by its invitation; to act unless given.
  ///   - subject: the person behind it; nil if nobody is signed in.
  ///   - issuer: the person's issuer; "" unless given, if there is a person.
  ///   - roles: the person's roles.
  public init(
    id: Int = 1, scope: ShareScope = .act, subject: String? = nil, issuer: String? = nil, roles: Set<String> = []
  ) {
    self.id = id
    self.scope = scope
    self.subject = subject
    self.issuer = subject == nil ? nil : issuer ?? ""
    self.roles = roles
  }

  /// Whether it is a person's client.
  ///
  /// Subjects and issuers are compared as bytes, as issuers tell persons apart by them (RFC 7519 §2): for Swift's `==` some that are not the
  /// same are equal.
  ///
  /// - Parameters:
  ///   - subject: the person's ``Identity/subject``; nil for nobody.
  ///   - issuer: the person's ``Identity/issuer``.
  /// - Returns: also true if nobody is behind the client, and `subject` is nil.
  public func isClient(of subject: String?, issuer: String?) -> Bool {
    guard let mine = self.subject, let subject else { return self.subject == nil && subject == nil }
    return haveSameUTF8(mine, subject) && haveSameUTF8(self.issuer ?? "", issuer ?? "")
  }

  /// A client and the person behind it.
  ///
  /// - Parameters:
  ///   - id: its number within the session.
  ///   - scope: what it may do by its invitation.
  ///   - identity: the person; nil if nobody is signed in.
  public init(id: Int, scope: ShareScope, _ identity: Identity?) {
    self.init(id: id, scope: scope, subject: identity?.subject, issuer: identity?.issuer, roles: identity?.roles ?? [])
  }
}
