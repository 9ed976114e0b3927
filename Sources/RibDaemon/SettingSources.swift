import Configuration
import RibServer
import Wire

/// The settings of flags, environment and file at one moment.
struct SettingSources: Sendable {
  /// The values, each from the first source that has one.
  var config: ConfigReader
  /// The names of the settings that were given as flags.
  var flags: Set<String>
  /// The names of all environment variables.
  var variables: Set<String>
  /// The path of the file, and what is in it; nil without a file.
  var file: (path: String, content: JSONValue)?

  /// The source that a setting's value comes from.
  func source(of setting: Setting) -> SettingInForce.Source {
    if flags.contains(setting.key) { return .flag("--\(setting.flag)") }
    if variables.contains(setting.variable) { return .variable(setting.variable) }
    if let file, Self.has(setting.key, file.content) { return .file(file.path) }
    return .preset
  }

  /// Whether a file has a value for a key: one member within the other, by the parts of its name.
  private static func has(_ key: String, _ content: JSONValue) -> Bool {
    var value = content
    for part in key.split(separator: ".") {
      guard case .object(let members) = value, let next = members[String(part)] else { return false }
      value = next
    }
    return true
  }
}
