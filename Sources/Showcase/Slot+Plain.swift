import RibCore

/// What a child is built with that is built the same each time.
struct Plain: Codable, Hashable {}

extension Slot where Config == Plain {
  /// Attaches the child, unless it is there already.
  mutating func attach() { attach(Plain()) }
}
