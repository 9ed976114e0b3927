/// An effect that ran when its session was saved, and does not run any more.
public struct InterruptedEffect: Hashable, Sendable, Codable {
  /// Its name as text; nil if it had none.
  public let id: String?
  /// What it handed on so that it is done once.
  public let key: IdempotencyKey
  /// Whether it was marked as one that starts again.
  public let isResumable: Bool
  /// The type of its name; nil for a string.
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
  /// - Parameter id: the name.
  /// - Returns: whether there is one with the same text and a type of the same name.
  public func contains(id: some Hashable & Sendable) -> Bool {
    let name = EffectID(id)
    return contains { $0.id == name.description && $0.idType == name.typeName }
  }
}
