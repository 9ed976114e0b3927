import Configuration
import Foundation
import RibTestSupport
import Testing

@testable import RibDaemon
@testable import RibServer

/// All that follows from the table of settings.
@Suite struct SettingTests {
  private func read(_ key: String, _ content: ConfigContent) async throws -> ServerSettings {
    let values = [AbsoluteConfigKey(ConfigKey(key)): ConfigValue(content, isSecret: false)]
    return try await ServerSettings(ConfigReader(provider: InMemoryProvider(values: values)))
  }

  @Test func names_areThreeOfOneKind_andDiffer() throws {
    let setting = try #require(Setting.all.first { $0.key == "limits.actionsPerSecond" })
    #expect(setting.flag == "limits-actions-per-second")
    #expect(setting.variable == "RIBD_LIMITS_ACTIONS_PER_SECOND")
    let url = try #require(Setting.all.first { $0.key == "publicURL" })
    #expect(url.flag == "public-url" && url.variable == "RIBD_PUBLIC_URL")
    for names in [Setting.ofDaemon.map(\.key), Setting.ofDaemon.map(\.flag), Setting.ofDaemon.map(\.variable)] {
      #expect(Set(names).count == names.count)
    }
  }

  /// Each row is read into a property of its own, and from one end of its range to the other.
  @Test func everyRow_isReadIntoItsProperty() async throws {
    var changed: [ServerSettings] = []
    for setting in Setting.all {
      switch setting.kind {
      case .number(let path, let range):
        for value in [range.lowerBound, range.upperBound] {
          let settings = try await read(setting.key, .int(value))
          #expect(settings[keyPath: path] == value && settings.fault == nil)
        }
        for value in [range.lowerBound - 1, range.upperBound + 1] {
          await #expect(throws: SettingsError(key: setting.key, value: "\(value)", range: range)) {
            _ = try await read(setting.key, .int(value))
          }
        }
        let isHighest = ServerSettings()[keyPath: path] == range.upperBound
        changed.append(try await read(setting.key, .int(isHighest ? range.lowerBound : range.upperBound)))
      case .bool(let path), .flag(let path):
        changed.append(try await read(setting.key, .bool(!ServerSettings()[keyPath: path])))
      case .text(_, let form): changed.append(try await read(setting.key, .string(form.example)))
      case .list(let path, let form):
        let settings = try await read(setting.key, .stringArray([form.example, form.example]))
        #expect(settings[keyPath: path] == [form.example, form.example])
        changed.append(settings)
      case .word(let path):
        let other = try #require(path.words.first { $0 != setting.preset })
        changed.append(try await read(setting.key, .string(other)))
      case .program: Issue.record("\(setting.key) is no setting of a server")
      }
    }
    for (index, settings) in changed.enumerated() {
      #expect(settings != ServerSettings(), "\(Setting.all[index].key)")
      #expect(!changed[..<index].contains(settings), "\(Setting.all[index].key)")
    }
  }

  /// What 0 means is said wherever it may be said, and nowhere else.
  @Test func zero_isExplainedWhereItIsAllowed() {
    for setting in Setting.all {
      guard case .number(_, let range) = setting.kind else { continue }
      #expect(setting.summary.contains("; 0 ") == range.contains(0), "\(setting.key)")
    }
  }

  /// A server without these has no bound on what one peer costs.
  @Test(
    arguments: [
      "limits.messageBytes", "limits.bodyBytes", "limits.paramsBytes", "limits.writeQueueBytes", "limits.connections",
      "limits.sessions",
    ])
  func boundOfMemory_cannotBeTurnedOff(_ key: String) async {
    await #expect(throws: SettingsError(key: key, value: "0", range: 1...Int(UInt32.max))) {
      _ = try await read(key, .int(0))
    }
  }

  @Test(
    arguments: [
      ("port", "eighty", "The setting \"port\" is \"eighty\"; it must be from 0 to 65535."),
      ("usesEpoll", "maybe", "The setting \"usesEpoll\" is \"maybe\"; it must be true or false."),
      ("store", "cloud", "The setting \"store\" is \"cloud\"; it must be one of memory, sqlite, postgres."),
      (
        "publicURL", "app.example.com",
        "The setting \"publicURL\" is \"app.example.com\"; it must be a URL without a path, such as https://app.example.com."
      ),
      (
        "proxies.trusted", "10.0.0.1/8",
        "The setting \"proxies.trusted\" is \"10.0.0.1/8\"; it must be a list, each an address, a network, loopback or unix, such as 10.0.0.0/8."
      ),
    ])
  func valueOfAnotherType_isNamed(_ key: String, _ value: String, _ says: String) async {
    let error = await #expect(throws: SettingsError.self) { _ = try await read(key, .string(value)) }
    #expect(error?.description == says)
    let number = await #expect(throws: SettingsError.self) { _ = try await read("host", .int(5)) }
    #expect(number?.description == "The setting \"host\" is of another type; it must be text.")
  }

  /// What would let in more than is meant, or nobody, is no value.
  @Test(arguments: [
    ("publicURL", "https://app.example.com/path"), ("publicURL", "*"), ("publicURL", "wss://app.example.com"),
    ("publicURL", "https://*.example.com"),
    ("origins", "https://*.com"), ("origins", "example.com"), ("origins", "file:///"), ("origins", "https://a/b"),
    ("hosts", "app.example.com:8080"), ("hosts", "https://app.example.com"), ("hosts", "*.com"),
    ("proxies.trusted", "proxy"), ("proxies.trusted", "10.0.0.0/33"),
  ])
  func valueThatIsNoneOfTheFrontDoor_isRefused(_ key: String, _ value: String) async throws {
    let setting = try #require(Setting.all.first { $0.key == key })
    let isList = if case .list = setting.kind { true } else { false }
    let good = if case .list(_, let form) = setting.kind { form.example } else { "" }
    let error = await #expect(throws: SettingsError.self) {
      _ = try await read(key, isList ? .stringArray([good, value]) : .string(value))
    }
    #expect(error?.key == key && error?.value == "\"\(value)\"")
  }

  /// The documentation's table is this one.
  @Test func documentation_hasEverySetting() throws {
    let rows = Setting.ofDaemon.map { setting in
      var values = ""
      if case .number(_, let range) = setting.kind { values = "\(range.lowerBound)…\(range.upperBound)" }
      if case .word(let path) = setting.kind { values = path.words.map { "`\($0)`" }.joined(separator: ", ") }
      return "| `\(setting.key)` | \(setting.preset) | \(values) | \(setting.summary) |"
    }
    let path = "Sources/RibServer/RibServer.docc/Settings.md"
    let article = try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
    let found = article.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(found == rows, "\(path) must have:\n\(rows.joined(separator: "\n"))")
  }

  /// A secret is shown to nobody, in whatever form it is written.
  @Test(arguments: ["postgresql://ribs:secret@db/ribs", "host=db password=p@x://y user=ribs", "password = 'two words'"])
  func value_hasNoSecret(_ url: String) throws {
    var settings = ServerSettings()
    let setting = try #require(Setting.all.first { $0.key == "storeURL" })
    #expect(setting.value(in: settings).isEmpty)
    settings.storeURL = url
    #expect(setting.value(in: settings) == "set")
  }

  /// Nor is the password in a URL that is no secret itself: not where it is in force, nor in what is said of one that cannot be.
  @Test func value_hasNoPassword() async throws {
    let url = "https://ada:mark@id.example.com/keys"
    let setting = try #require(Setting.ofDaemon.first { $0.key == "auth.keysURL" })
    let shown = SettingInForce(setting, url, from: .preset, waiting: url)
    #expect(shown.value == "https://…@id.example.com/keys" && shown.waiting == shown.value)
    let error = await #expect(throws: SettingsError.self) { _ = try await read("publicURL", .string(url)) }
    #expect(error?.description.contains("mark") == false)
  }
}
