/// An effect that ran when its session was saved, and does not run any more.
public struct InterruptedEffect: Hashable, Sendable, Codable {
  /// Its name as text; nil if it had none.
  public let id: String?
  /// What it handed on so that it is done once.
  public let key: IdempotencyKey
  /// Whether it was marked as one that starts again.
  public let isResumable: Bool
}

extension InterruptedEffect {
  init(name: EffectID?, key: IdempotencyKey, isResumable: Bool) {
    self.init(id: name?.description, key: key, isResumable: isResumable)
  }
}

extension [InterruptedEffect] {
  /// Whether an effect of this name was interrupted.
  ///
  /// - Parameter id: the name.
  /// - Returns: whether there is one with the same text.
  public func contains(id: some Hashable & Sendable) -> Bool { contains { $0.id == EffectID(id).description } }
}
