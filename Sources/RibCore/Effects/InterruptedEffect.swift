/// An effect that ran when its session was saved, and was interrupted when the session left memory.
public struct InterruptedEffect: Hashable, Sendable, Codable {
  /// The effect's name as text; nil if it had none.
  public let id: String?
  /// The idempotency key that the effect could hand to services.
  public let key: IdempotencyKey
  /// Whether the effect was resumable.
  package let isResumable: Bool
  /// The name of the type of the effect's name; nil for a string.
  private(set) var idType: String?
}

extension InterruptedEffect {
  init(name: EffectID?, key: IdempotencyKey, isResumable: Bool) {
    self.init(id: name?.description, key: key, isResumable: isResumable, idType: name?.typeName)
  }
}

extension [InterruptedEffect] {
  /// Whether an effect of this name was interrupted.
  ///
  /// Names are saved as text: a name matches if it has the same text and a type of the same name.
  public func contains(id: some Hashable & Sendable) -> Bool {
    let name = EffectID(id)
    return contains { $0.id == name.description && $0.idType == name.typeName }
  }
}
