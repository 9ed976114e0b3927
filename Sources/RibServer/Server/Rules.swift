import Logging

/// The settings that a loop goes by, and the front door that is made of them.
///
/// Each loop has a copy, ``Workspace/rules``, which is read without a lock, and replaced between two events when the settings are reloaded.
struct Rules: Sendable {
  /// The settings in force.
  let settings: ServerSettings
  /// The front door.
  let gate: Gate
  /// The rates to which clients are held.
  let clients: ClientRates
  private let address: String
  private let refusals: RefusalLog

  /// Rules.
  ///
  /// - Parameters:
  ///   - settings: the settings in force; the defaults are for a loop that serves no connections.
  ///   - address: where the server listens.
  ///   - refusals: where refusals are told.
  init(
    _ settings: ServerSettings = ServerSettings(), listeningAt address: String = "",
    _ refusals: RefusalLog = RefusalLog(Logger(label: "ribserver"), .system)
  ) {
    self.settings = settings
    self.address = address
    self.refusals = refusals
    clients = ClientRates(settings.limits)
    gate = Gate(settings, listeningAt: address, refusals)
  }

  /// The same at another address.
  func listening(at address: String) -> Rules { Rules(settings, listeningAt: address, refusals) }

  /// Rules of other settings, for the same address; what is refused is told as seldom as before.
  func replacing(_ settings: ServerSettings) -> Rules { Rules(settings, listeningAt: address, refusals) }
}
