/// Room for one child: a modal, a detail, a step.
///
/// The value in the parent's state decides: with a configuration in it there is a child, which is built for that
/// configuration; without one there is none.
public struct Slot<Config: Hashable & Sendable>: Equatable, Sendable {
  /// The configuration of the child; nil if there is no child.
  public private(set) var config: Config?
  /// Counts attachments, so that a child attached anew with an equal configuration is a new child.
  private var generation = 0

  /// A slot, empty unless a configuration is given.
  public init(_ config: Config? = nil) {
    self.config = config
  }

  /// Attaches a child, which is built for the configuration; does nothing if there is a child already.
  public mutating func attach(_ config: Config) {
    guard self.config == nil else { return }
    replace(with: config)
  }

  /// Attaches a new child in the place of the present one, if there is one.
  public mutating func replace(with config: Config) {
    self.config = config
    generation += 1
  }

  /// Detaches the child, if there is one.
  public mutating func detach() { config = nil }
}

/// The configuration of a child that is built the same each time.
public struct NoConfig: Codable, Hashable, Sendable {
  /// The only value.
  public init() {}
}

extension Slot where Config == NoConfig {
  /// Attaches the child, unless it is there already.
  public mutating func attach() { attach(NoConfig()) }
}

extension Slot: Codable where Config: Codable {}

extension Slot: RouteContainer {
  /// One child, or none.
  public var contents: RouteContents<Config> {
    RouteContents(kind: "slot", entries: config.map { [RouteEntry(key: generation, config: $0)] } ?? [])
  }

  /// Detaches the child.
  ///
  /// - Returns: false if there is no child with this key.
  public mutating func dismiss(_ key: Int) -> Bool {
    guard config != nil, key == generation else { return false }
    detach()
    return true
  }
}
