import Synchronization

/// A setting as it is in force, and where its value comes from: what `ribd check` prints, and operators are shown.
package struct SettingInForce: Equatable, Sendable {
  /// Where a value comes from.
  package enum Source: Equatable, Sendable, CustomStringConvertible {
    /// The default.
    case preset
    /// A program that has a server of its own has set it.
    case program
    /// A file, by its path.
    case file(String)
    /// An environment variable, by its name.
    case variable(String)
    /// A flag, by its name with the hyphens.
    case flag(String)

    /// The source, for a person.
    package var description: String {
      switch self {
      case .preset: "default"
      case .program: "program"
      case .file(let path): path
      case .variable(let name), .flag(let name): name
      }
    }
  }

  /// The setting's name.
  package let name: String
  /// Its value, for a person; `set` for a secret that is not empty, and without the user and the password of a URL.
  package let value: String
  /// Where the value comes from.
  package let source: Source
  /// Whether a running server takes it over when it is reloaded.
  package let isLive: Bool
  /// The value that it has been given since, and that needs a restart; nil if there is none.
  package let waiting: String?

  /// A setting.
  ///
  /// - Parameters:
  ///   - setting: what it is.
  ///   - value: its value, for a person.
  ///   - source: where the value comes from.
  ///   - waiting: the value that it has been given since, and that needs a restart; nil if there is none.
  package init(_ setting: Setting, _ value: String, from source: Source, waiting: String? = nil) {
    name = setting.key
    self.value = setting.shown(value)
    self.source = source
    isLive = setting.isLive
    self.waiting = waiting.map(setting.shown)
  }
}

extension Server {
  /// The settings in force, in the order of the help, with their sources.
  ///
  /// Of a program that has not told them, ``tell(settings:)``, they are the server's own alone.
  package var settingsInForce: [SettingInForce] {
    if let told = context.toldSettings.withLock({ $0 }) { return told }
    let settings = context.settings
    return Setting.all.map { setting in
      let value = setting.fullValue(in: settings)
      return SettingInForce(setting, value, from: value == setting.fullValue(in: ServerSettings()) ? .preset : .program)
    }
  }

  /// Takes note of the settings in force, and of their sources, for whoever looks.
  ///
  /// - Parameter settings: the server's, and those of the program.
  package func tell(settings: [SettingInForce]) { context.toldSettings.withLock { $0 = settings } }
}
