import RibCore
import Wire

/// How a client of a session is bound to a person, given the credential that the client has shown.
///
/// | the client is bound to     | its credential is that of | the outcome                                                             |
/// |----------------------------|---------------------------|-------------------------------------------------------------------------|
/// | no person                  | no person, or none        | ``anonymous``: the client goes on                                       |
/// | no person                  | a person                  | ``signedIn(_:)``: the client is bound to the person, with a new token   |
/// | a person                   | no person, or none        | refused, `unauthenticated`: the client's token alone opens nothing      |
/// | a person                   | the same person           | ``renewed(_:)``: the client goes on with the new identity               |
/// | a person                   | another person            | refused, `forbidden`                                                    |
/// | a person who is signed out | anyone                    | refused, `revoked`                                                      |
///
/// In all rows but the last, the app's access is checked first, and may refuse the client.
enum Binding: Equatable {
  /// The client is not bound to a person.
  case anonymous
  /// The client's person has this identity now.
  case renewed(Identity)
  /// The client is bound to this person from now on.
  case signedIn(Identity)

  /// Judges a client by the credential that it has shown.
  ///
  /// - Parameters:
  ///   - record: what is kept of the client.
  ///   - identity: the person of the credential; nil for nobody.
  ///   - access: who may use the app.
  /// - Returns: the binding, or why the client is refused.
  static func judge(
    _ record: ClientRecord, _ identity: Identity?, _ access: App.Access
  ) -> Result<Binding, Ending> {
    if record.person?.isRevoked == true { return .failure(revoked) }
    if let ending = access.refusal(of: identity) { return .failure(ending) }
    switch (record.person, identity) {
    case (nil, nil): return .success(.anonymous)
    case (nil, let identity?): return .success(.signedIn(identity))
    case (_?, nil):
      return .failure(.credentialMissing("This client is of somebody who has signed in: show a credential."))
    case (let person?, let identity?):
      guard person.identity.isSamePerson(as: identity) else {
        return .failure(Ending(.forbidden, "This client is somebody else's."))
      }
      return .success(.renewed(identity))
    }
  }

  /// The ending of a client whose person was signed out.
  static let revoked = Ending(.revoked, "The person behind this client was signed out.")
}
