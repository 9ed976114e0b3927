import Configuration

/// A setting of the server, as it is written down once.
///
/// From ``all`` follow what is read from a configuration, the daemon's flags and their help, what is said of a name that no
/// setting has, and the table in the documentation.
package struct Setting: Sendable {
  /// Where a setting is in ``ServerSettings``.
  package typealias Path<Value> = any WritableKeyPath<ServerSettings, Value> & Sendable

  /// What a setting can be.
  package enum Kind: Sendable {
    /// A whole number in a range.
    case number(Path<Int>, ClosedRange<Int>)
    /// True or false.
    case bool(Path<Bool>)
    /// True if it is named; its flag takes no value.
    case flag(Path<Bool>)
    /// Text of a form; empty for none.
    case text(Path<String>, TextForm)
    /// Several texts of a form: in the file a list, elsewhere with commas between them.
    case list(Path<[String]>, TextForm)
    /// One of several words.
    case word(WordPath)
    /// Text that the program reads, and not the server; the second value is its default, empty for none.
    case program(String, preset: String)
  }

  /// Where a setting is that is one of an enumeration's words.
  package struct WordPath: Sendable {
    /// The words.
    package let words: [String]
    let get: @Sendable (ServerSettings) -> String
    let set: @Sendable (inout ServerSettings, String) -> Bool

    init<Choice: RawRepresentable & CaseIterable & SendableMetatype>(_ path: Path<Choice>)
    where Choice.RawValue == String {
      words = Choice.allCases.map(\.rawValue)
      get = { $0[keyPath: path].rawValue }
      set = { settings, word in
        guard let choice = Choice(rawValue: word) else { return false }
        settings[keyPath: path] = choice
        return true
      }
    }
  }

  /// What a text can be.
  package struct TextForm: Sendable {
    /// What it is, in one word.
    package let name: String
    /// A text of this form.
    package let example: String
    /// What is said of one that is not: "it must be …"; nil if every text is.
    fileprivate let wanted: String?
    fileprivate let accepts: @Sendable (String) -> Bool

    /// Any text.
    ///
    /// - Parameters:
    ///   - name: what it is, in one word.
    ///   - example: a text.
    /// - Returns: the form.
    static func any(_ name: String, example: String = "elsewhere") -> Self {
      Self(name: name, example: example, wanted: nil) { _ in true }
    }

    /// A text that is checked.
    ///
    /// - Parameters:
    ///   - name: what it is, in one word.
    ///   - wanted: the same, for a person, without the example.
    ///   - example: a text of this form.
    ///   - accepts: whether a text is of this form.
    /// - Returns: the form.
    static func checked(
      _ name: String, _ wanted: String, example: String, _ accepts: @escaping @Sendable (String) -> Bool
    ) -> Self {
      Self(name: name, example: example, wanted: "\(wanted), such as \(example)", accepts: accepts)
    }

    private init(
      name: String, example: String, wanted: String?, accepts: @escaping @Sendable (String) -> Bool
    ) {
      (self.name, self.example, self.wanted, self.accepts) = (name, example, wanted, accepts)
    }

    /// What is wrong with a text; nil if nothing is.
    fileprivate func fault(_ text: String, of key: String) -> SettingsError? {
      guard let wanted, !accepts(text) else { return nil }
      return SettingsError(key: key, value: "\"\(text.withoutUser)\"", wanted: wanted)
    }
  }

  /// Its name in the file.
  package let key: String
  /// What it can be.
  package let kind: Kind
  /// What it is, in one sentence; what 0 means is said where 0 is allowed.
  package let summary: String
  /// What is said of the default in place of its value.
  private let presetNote: String?
  /// Whether its value is shown to nobody.
  package let isSecret: Bool

  /// A setting.
  ///
  /// - Parameters:
  ///   - key: its name in the file.
  ///   - kind: what it can be.
  ///   - summary: what it is, in one sentence.
  ///   - preset: what is said of the default in place of its value.
  ///   - isSecret: whether its value is shown to nobody.
  package init(_ key: String, _ kind: Kind, _ summary: String, preset: String? = nil, isSecret: Bool = false) {
    self.key = key
    self.kind = kind
    self.summary = summary
    self.isSecret = isSecret
    presetNote = preset
  }

  /// The default, for a person.
  package var preset: String {
    if let presetNote { return presetNote }
    if case .program(_, let preset) = kind { return preset.isEmpty ? "none" : preset }
    return fullValue(in: ServerSettings())
  }

  /// Its value as it is, also of a secret; of a setting that the program reads its default.
  ///
  /// - Parameter settings: where it is.
  /// - Returns: the value; `none` for an empty text or list.
  package func fullValue(in settings: ServerSettings) -> String {
    switch kind {
    case .number(let path, _): return "\(settings[keyPath: path])"
    case .bool(let path), .flag(let path): return "\(settings[keyPath: path])"
    case .text(let path, _): return settings[keyPath: path].isEmpty ? "none" : settings[keyPath: path]
    case .list(let path, _):
      let texts = settings[keyPath: path]
      return texts.isEmpty ? "none" : texts.joined(separator: ", ")
    case .word(let path): return path.get(settings)
    case .program(_, let preset): return preset.isEmpty ? "none" : preset
    }
  }

  /// What it can be, for a person.
  package var values: String {
    switch kind {
    case .number(_, let range): "from \(range.lowerBound) to \(range.upperBound)"
    case .bool, .flag: "true or false"
    case .text(_, let form): form.wanted ?? "text"
    case .list(_, let form): form.wanted.map { "a list, each \($0)" } ?? "a list of texts"
    case .program: "text"
    case .word(let path): "one of \(path.words.joined(separator: ", "))"
    }
  }

  /// A value of it as people may see it: a secret is `set`, and a URL has no user and no password.
  ///
  /// - Parameter value: the value as it is; empty or `none` for none.
  /// - Returns: the value.
  func shown(_ value: String) -> String {
    guard !value.isEmpty, value != "none" else { return value }
    if isSecret { return "set" }
    return value.contains("://") ? value.withoutUser : value
  }

  /// The value that is in force, for a person; empty for none, and for what the program reads itself.
  ///
  /// A secret is as ``shown(_:)`` has it.
  ///
  /// - Parameter settings: the settings in force.
  /// - Returns: the value.
  package func value(in settings: ServerSettings) -> String {
    switch kind {
    case .number(let path, _): "\(settings[keyPath: path])"
    case .bool(let path), .flag(let path): "\(settings[keyPath: path])"
    case .text(let path, _): shown(settings[keyPath: path])
    case .list(let path, _): settings[keyPath: path].joined(separator: ", ")
    case .word(let path): path.get(settings)
    case .program: ""
    }
  }

  // MARK: Names

  /// The parts of its name, in small letters.
  private var words: [String] {
    var words = [""]
    var last: Character = "."
    for letter in key {
      // Of an abbreviation, as in publicURL, the first letter alone begins a word.
      if letter == "." || letter.isUppercase && !last.isUppercase { words.append("") }
      if letter != "." { words[words.count - 1] += letter.lowercased() }
      last = letter
    }
    return words
  }

  /// Its flag, without the two hyphens: `limits-actions-per-second`.
  package var flag: String { words.joined(separator: "-") }
  /// Its environment variable: `RIBD_LIMITS_ACTIONS_PER_SECOND`.
  package var variable: String { Self.variablePrefix + words.joined(separator: "_").uppercased() }
  /// What every environment variable of the daemon begins with.
  package static let variablePrefix = "RIBD_"

  // MARK: Reading

  /// Takes its value over into settings, if there is one.
  ///
  /// - Parameters:
  ///   - config: where from.
  ///   - settings: where to.
  /// - Throws: ``SettingsError`` for a value that it cannot have.
  func read(_ config: ConfigReader, into settings: inout ServerSettings) async throws {
    let name = ConfigKey(key)
    switch kind {
    case .number(let path, _):
      guard let value = try await fetch(config, { try await config.fetchInt(forKey: name) }) else { return }
      settings[keyPath: path] = value
    case .bool(let path), .flag(let path):
      guard let value = try await fetch(config, { try await config.fetchBool(forKey: name) }) else { return }
      settings[keyPath: path] = value
    case .text(let path, _):
      guard let value = try await fetch(config, { try await config.fetchString(forKey: name) }) else { return }
      settings[keyPath: path] = value
    case .list(let path, _):
      guard let values = try await fetch(config, { try await config.fetchStringArray(forKey: name) }) else { return }
      settings[keyPath: path] = values.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
    case .word(let path):
      guard let word = try await fetch(config, { try await config.fetchString(forKey: name) }) else { return }
      guard path.set(&settings, word) else { throw SettingsError(key: key, value: "\"\(word)\"", wanted: values) }
    case .program: break
    }
    if let fault = fault(in: settings) { throw fault }
  }

  /// A value, or what is wrong with its type: the configuration does not say what it should be.
  private func fetch<Value>(_ config: ConfigReader, _ body: () async throws -> Value?) async throws -> Value? {
    do {
      return try await body()
    } catch {
      let text = try? await config.fetchString(forKey: ConfigKey(key))
      throw SettingsError(key: key, value: text.map { "\"\($0)\"" } ?? "of another type", wanted: values)
    }
  }

  /// What is wrong with its value; nil if nothing is.
  func fault(in settings: ServerSettings) -> SettingsError? {
    switch kind {
    case .number(let path, let range):
      let value = settings[keyPath: path]
      return range.contains(value) ? nil : SettingsError(key: key, value: "\(value)", range: range)
    case .text(let path, let form):
      let text = settings[keyPath: path]
      return text.isEmpty ? nil : form.fault(text, of: key)
    case .list(let path, let form):
      for text in settings[keyPath: path] {
        if let fault = form.fault(text, of: key) { return fault }
      }
      return nil
    case .bool, .flag, .word, .program: return nil
    }
  }
}
