import RibCore

/// The state of a page that shows one thing of the server: what was seen last, and who looks.
struct Sighting<Value: Equatable & Sendable>: Codable, Equatable {
  /// The operator who looks.
  var onlooker = Onlooker()
  /// The value that was seen last; nil before that, and after the session was at rest.
  @Transient var value: Value?
  /// Why nothing could be seen the last time; nil if that went well.
  @Transient var problem: String?

  /// Takes what was seen.
  mutating func take(_ sight: Sight<Value>) {
    switch sight {
    case .seen(let value):
      self.value = value
      problem = nil
    case .failed(let reason): problem = reason
    }
  }
}
