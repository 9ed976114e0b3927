import ArgumentParser
import Configuration
import Logging
import RibServer
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The settings as flags.
///
/// ArgumentParser asks a type's mirror for its options and decodes their values: both follow from the table of settings here,
/// in place of a property for each. None has a default: what is not given is looked for in the environment and the file.
package struct SettingFlags: ParsableArguments, CustomReflectable {
  /// What the flags say.
  private var values: [AbsoluteConfigKey: ConfigValue] = [:]

  /// The flags of a command line without any, as ArgumentParser wants them before it reads one.
  package init() {}

  /// The flags that were given.
  package init(from decoder: any Decoder) throws {
    let flags = try decoder.container(keyedBy: FlagName.self)
    for setting in Setting.ofDaemon {
      let content: ConfigContent? =
        switch setting.kind {
        case .number: try flags.decodeIfPresent(Int.self, forKey: FlagName(setting)).map { .int($0) }
        case .bool: try flags.decodeIfPresent(Bool.self, forKey: FlagName(setting)).map { .bool($0) }
        case .flag: try flags.decodeIfPresent(Bool.self, forKey: FlagName(setting)) == true ? .bool(true) : nil
        case .text, .word, .program:
          try flags.decodeIfPresent(String.self, forKey: FlagName(setting)).map { .string($0) }
        case .list:
          try flags.decodeIfPresent(String.self, forKey: FlagName(setting)).map { texts in
            .stringArray(texts.split(separator: ",").map(String.init))
          }
        }
      guard let content else { continue }
      values[AbsoluteConfigKey(ConfigKey(setting.key))] = ConfigValue(content, isSecret: false)
    }
  }

  package var customMirror: Mirror {
    Mirror(
      self,
      children: Setting.ofDaemon.map { (label: FlagName($0).stringValue as String?, value: Self.definition(of: $0)) })
  }

  private static func definition(of setting: Setting) -> Any {
    let name = NameSpecification.customLong(setting.flag)
    let help = { (value: String?) in
      ArgumentHelp("\(setting.summary) (default: \(setting.preset))", valueName: value)
    }
    switch setting.kind {
    case .number: return Option<Int?>(name: name, help: help("number"))
    case .bool: return Option<Bool?>(name: name, help: help("true|false"))
    case .flag: return Flag<Bool>(wrappedValue: false, name: name, help: ArgumentHelp(setting.summary))
    case .text(_, let form), .list(_, let form): return Option<String?>(name: name, help: help(form.name))
    case .program(let value, _): return Option<String?>(name: name, help: help(value))
    case .word(let path): return Option<String?>(name: name, help: help(path.words.joined(separator: "|")))
    }
  }

  /// The settings from flags, environment and file.
  ///
  /// - Throws: `UnknownSettingError` for what is none, `ValidationError` if the file cannot be read.
  func makeConfig() async throws -> ConfigReader { try await read().config }

  /// Reads flags, environment and file.
  ///
  /// - Returns: what they say.
  /// - Throws: `UnknownSettingError` for what is no setting, `ValidationError` if the file cannot be read.
  func read() async throws -> SettingSources {
    let variables = ProcessInfo.processInfo.environment
    try UnknownSettingError.check(
      environment: variables.keys, for: Setting.ofDaemon, besides: [LedgerFile.variable])
    let environment = KeyMappingProvider(
      upstream: EnvironmentVariablesProvider(environmentVariables: variables)
    ) { $0.prepending("ribd") }
    let flags = InMemoryProvider(name: "flags", values: values)
    let overrides = ConfigReader(providers: [flags, environment])
    var sources = SettingSources(
      config: overrides,
      flags: Set(Setting.ofDaemon.map(\.key).filter { values[AbsoluteConfigKey(ConfigKey($0))] != nil }),
      variables: Set(variables.keys))
    guard let path = overrides.string(forKey: "config") else { return sources }
    let (file, content) = try await Self.file(path)
    sources.config = ConfigReader(providers: [flags, environment, file])
    sources.file = (path, content)
    return sources
  }

  /// The settings in a file.
  private static func file(_ path: String) async throws -> (FileProvider<JSONSnapshot>, JSONValue) {
    let filePath: [AbsoluteConfigKey: ConfigValue] = ["filePath": ConfigValue(.string(path), isSecret: false)]
    let file: FileProvider<JSONSnapshot>
    let content: JSONValue
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw ValidationError(
        "The settings in \(path) cannot be read: there is no such file, or this user may not read it.")
    }
    do {
      // First, as this says best what is wrong.
      content = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
      file = try await FileProvider(config: ConfigReader(provider: InMemoryProvider(values: filePath)))
    } catch {
      throw ValidationError("The settings in \(path) cannot be read: \(error)")
    }
    try UnknownSettingError.check(file: content, for: Setting.ofDaemon)
    return (file, content)
  }

  /// The least important level that is logged.
  func logLevel(_ config: ConfigReader) async throws -> Logger.Level {
    let name = try await config.fetchString(forKey: "logLevel", default: "info")
    guard let level = Logger.Level(rawValue: name) else {
      let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("There is no log level \"\(name)\". There is: \(levels).")
    }
    return level
  }

  /// How lines of the log are written.
  func logFormat(_ config: ConfigReader) async throws -> LogFormat {
    let name = try await config.fetchString(forKey: "logFormat", default: LogFormat.text.rawValue)
    guard let format = LogFormat(rawValue: name) else {
      let formats = LogFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("There is no log format \"\(name)\". There is: \(formats).")
    }
    return format
  }

  /// The mark that stands for a person in the log.
  ///
  /// - Parameter config: where it says whether the log may name them.
  /// - Returns: nil if it may.
  /// - Throws: `ValidationError` for a value that is neither true nor false.
  func subjectMark(_ config: ConfigReader) async throws -> SubjectMark? {
    let name = try await config.fetchString(forKey: "logSubjects", default: "false")
    // A Boolean of a JSON file may be read as a number.
    guard let namesPersons = ["true": true, "1": true, "false": false, "0": false][name] else {
      throw ValidationError("The setting \"logSubjects\" is \"\(name)\"; it must be true or false.")
    }
    return namesPersons ? nil : SubjectMark()
  }
}

/// What ArgumentParser knows a setting's flag by.
private struct FlagName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ setting: Setting) { stringValue = setting.flag }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Setting {
  /// The server's, and those of the daemon alone.
  static let ofDaemon: [Setting] =
    [
      Setting("config", .program("file", preset: ""), "A JSON file with settings."),
      Setting(
        "logLevel", .program("level", preset: "info"), "trace, debug, info, notice, warning, error or critical."),
      Setting(
        "logFormat", .program("text|json", preset: LogFormat.text.rawValue),
        "Lines of the log for a person, or a JSON object each for a program."),
      Setting(
        "logSubjects", .program("true|false", preset: "false"),
        "Whether the log names persons; otherwise it has a mark in place of each, another one after each start."),
      Setting(
        "web", .program("directory", preset: ""), "Serve this directory's files, and not the showcase's page."),
    ] + all + AuthSettings.all
}
