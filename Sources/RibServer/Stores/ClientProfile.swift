package import RibCore
package import Wire

/// The part of a client's record that seldom changes, and that many clients lack: what the client says of itself, and its person.
///
/// Kept by reference, as it is a part of every cut of its session.
package final class ClientProfile: Sendable, Equatable, Codable {
  /// The person behind a client.
  package struct Person: Sendable, Equatable, Codable {
    /// The person's identity, by the newest credential.
    package var identity: Identity
    /// The mark of the binding: higher than the marks of the person's earlier sign-outs (``Revocation/mark``).
    package let since: Int
    /// Whether the person was signed out after the binding: the client cannot come back then.
    package var isRevoked = false
    /// The SHA-256 of the token that the client had before the person signed in; nil for none.
    ///
    /// That token opens the session for this person alone, until the client has shown the new one.
    package var formerTokenHash: String?

    /// A person that a client is bound to.
    ///
    /// - Parameters:
    ///   - identity: the person.
    ///   - since: the mark of the binding.
    ///   - formerTokenHash: of the token that the client had before; nil for none.
    package init(_ identity: Identity, since: Int, formerTokenHash: String? = nil) {
      self.identity = identity
      self.since = since
      self.formerTokenHash = formerTokenHash
    }
  }

  /// What the client has said of itself first.
  package let info: ClientInfo
  /// The person behind it; nil for nobody.
  package let person: Person?

  /// A client's profile; nil if there is nothing to keep.
  ///
  /// - Parameters:
  ///   - info: what the client has said of itself first; each text is cut to 128 bytes.
  ///   - person: the person behind it; nil for nobody.
  package init?(_ info: ClientInfo, _ person: Person?) {
    let brief = info.brief
    guard person != nil || brief != ClientInfo() else { return nil }
    self.info = brief
    self.person = person
  }

  package static func == (ours: ClientProfile, theirs: ClientProfile) -> Bool {
    ours === theirs || ours.info == theirs.info && ours.person == theirs.person
  }
}

extension ClientInfo {
  /// The same, with texts of at most 128 bytes.
  fileprivate var brief: ClientInfo {
    ClientInfo(
      name: name.map(Self.brief), version: version.map(Self.brief), locale: locale.map(Self.brief),
      timeZone: timeZone.map(Self.brief))
  }

  private static func brief(_ text: String) -> String {
    guard text.utf8.count > 128 else { return text }
    // Not in the middle of a character.
    var end = text.utf8.index(text.startIndex, offsetBy: 128)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end])
  }
}
