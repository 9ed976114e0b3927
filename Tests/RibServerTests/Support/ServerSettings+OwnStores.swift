import RibServer

extension ServerSettings.Store {
  /// Those that a server has without a library of their own.
  static let own: [Self] = [.memory, .sqlite]
}
