import RibCore
import Wire

extension App.Access {
  /// Whether the app refuses a person.
  ///
  /// - Parameter identity: the person; nil for nobody.
  /// - Returns: the ending of a client that is refused; nil if the person may use the app.
  func refusal(of identity: Identity?) -> Ending? {
    switch (self, identity) {
    case (.anyone, _), (.identified, _?): return nil
    case (.identified, nil), (.roles, nil):
      return .credentialMissing("This app is for signed-in persons only: show a credential.")
    case (.roles(let roles), let identity?):
      guard roles.isDisjoint(with: identity.roles) else { return nil }
      return Ending(.forbidden, "This person may not use this app.")
    }
  }
}
