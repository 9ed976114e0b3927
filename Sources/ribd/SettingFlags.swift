import ArgumentParser
import Configuration
import Logging
import RibServer
import RibWeb

/// The settings as flags.
///
/// None has a default here: what is not given is looked for in the environment and the file.
struct SettingFlags: ParsableArguments {
  @Option(help: "The address to listen on. (default: 127.0.0.1)")
  var host: String?
  @Option(help: "The port to listen on; 0 picks a free one. (default: 8080)")
  var port: Int?
  @Option(help: ArgumentHelp("A JSON file with settings.", valueName: "file"))
  var config: String?
  @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
  var logLevel: String?
  @Option(
    help: ArgumentHelp(
      "Serve this directory's files, and not the showcase's page. (default: none)", valueName: "directory"))
  var web: String?
  @Option(help: "Threads that serve connections; 0 for one a core. (default: 0)")
  var loops: Int?
  @Option(help: "How long a thread waits for more after it had something to do. (default: 1)")
  var lingerMilliseconds: Int?
  @Option(help: "Whether to watch all connections of a thread with one epoll set. (default: true)")
  var usesEpoll: Bool?
  @Option(help: "Whether messages are compressed with clients that offer it. (default: true)")
  var usesCompression: Bool?
  @Flag(help: "Send back every message on the WebSocket /echo, for conformance suites.")
  var echo = false
  @Option(help: "Where sessions are kept: sqlite, or memory. (default: sqlite)")
  var store: String?
  @Option(help: ArgumentHelp("Where what outlives the server is. (default: ribd-state)", valueName: "directory"))
  var stateDir: String?
  @Option(help: "What an answer survives: disk, a power cut, or process, the server's end. (default: disk)")
  var durability: String?
  @Option(
    help: ArgumentHelp(
      "Where each session is recorded, to be replayed as a test: with all that was said in it. (default: nowhere)",
      valueName: "directory"))
  var record: String?
  @Option(help: "Bytes of a message. (default: 65536)")
  var limitsMessageBytes: Int?
  @Option(help: "Actions a second that a client may send in the long run. (default: 50)")
  var limitsActionsPerSecond: Int?
  @Option(help: "Actions that a client may send at once. (default: 100)")
  var limitsActionBurst: Int?
  @Option(help: "Bytes that may wait for a client that does not read. (default: 65536)")
  var limitsWriteQueueBytes: Int?
  @Option(help: "Bytes of a request's body. (default: 1048576)")
  var limitsBodyBytes: Int?
  @Option(help: "Connections at a time; one more is answered 503. (default: 20000)")
  var limitsConnections: Int?
  @Option(help: "Connections at a time from one address. (default: 0)")
  var limitsConnectionsPerAddress: Int?
  @Option(help: "Sessions at a time, with a connection or without. (default: 100000)")
  var limitsSessions: Int?
  @Option(help: "Megabytes of memory above which idle sessions leave it, and none are added. (default: 0)")
  var limitsMemoryMegabytes: Int?
  @Option(help: "Seconds that a session waits for its client to come back; 0 for not at all. (default: 86400)")
  var sessionsTimeToLiveSeconds: Int?
  @Option(help: "Seconds at most that it waits for a client that has not acted. (default: 300)")
  var sessionsUntouchedSeconds: Int?
  @Option(help: "Seconds that it stays in memory meanwhile. (default: 300)")
  var sessionsRestSeconds: Int?
  @Option(help: "Seconds without any action after which a session with a client leaves memory. (default: 600)")
  var sessionsIdleRestSeconds: Int?
  @Option(help: "Whether a compressed message may refer to earlier ones. (default: false)")
  var compressionKeepsContext: Bool?
  @Option(help: "How far back it refers, as the binary logarithm of bytes; 9 to 15. (default: 15)")
  var compressionWindowBits: Int?
  @Option(help: "Bytes from which a message is compressed. (default: 256)")
  var compressionThresholdBytes: Int?
  @Option(help: "Seconds from a connection, or a request's first byte, to its whole head, and to hello. (default: 10)")
  var timeoutsHandshakeSeconds: Int?
  @Option(help: "Seconds from a request's head to the end of its body. (default: 30)")
  var timeoutsBodySeconds: Int?
  @Option(help: "Seconds from an answer to the next request. (default: 60)")
  var timeoutsIdleSeconds: Int?
  @Option(help: "Seconds of silence after which client and server send a ping. (default: 25)")
  var timeoutsHeartbeatSeconds: Int?
  @Option(help: "Seconds that a client has to close after the server's last word. (default: 5)")
  var timeoutsClosingSeconds: Int?
  @Option(help: "Seconds that clients have to go elsewhere when the server stops; 0 for none. (default: 2)")
  var timeoutsDrainSeconds: Int?

  /// The settings from flags, environment and file.
  func makeConfig() async throws -> ConfigReader {
    let environment = KeyMappingProvider(upstream: EnvironmentVariablesProvider()) { $0.prepending("ribd") }
    let overrides = ConfigReader(providers: [InMemoryProvider(name: "flags", values: values), environment])
    guard let path = overrides.string(forKey: "config") else { return overrides }
    let filePath: [AbsoluteConfigKey: ConfigValue] = ["filePath": ConfigValue(.string(path), isSecret: false)]
    let file: FileProvider<JSONSnapshot>
    do {
      file = try await FileProvider(config: ConfigReader(provider: InMemoryProvider(values: filePath)))
    } catch {
      throw ValidationError("The settings in \(path) cannot be read: \(error)")
    }
    return ConfigReader(providers: [InMemoryProvider(name: "flags", values: values), environment, file])
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

  /// What is served beside the server's own endpoints: the showcase's page, or a directory of one's own.
  ///
  /// - Parameter config: where it says which.
  /// - Returns: the files.
  /// - Throws: ``StaticFilesError`` if the directory cannot be read.
  func files(_ config: ConfigReader) async throws -> StaticFiles {
    let directory = try await config.fetchString(forKey: "web", default: "")
    return directory.isEmpty ? .showcase : try StaticFiles(directory: directory)
  }

  private var values: [AbsoluteConfigKey: ConfigValue] {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    func set(_ key: AbsoluteConfigKey, _ content: ConfigContent?) {
      if let content { values[key] = ConfigValue(content, isSecret: false) }
    }
    set("host", host.map(ConfigContent.string))
    set("port", port.map(ConfigContent.int))
    set("config", config.map(ConfigContent.string))
    set("logLevel", logLevel.map(ConfigContent.string))
    set("web", web.map(ConfigContent.string))
    set("loops", loops.map(ConfigContent.int))
    set("lingerMilliseconds", lingerMilliseconds.map(ConfigContent.int))
    set("usesEpoll", usesEpoll.map(ConfigContent.bool))
    set("usesCompression", usesCompression.map(ConfigContent.bool))
    set("echo", echo ? ConfigContent.bool(true) : nil)
    set("store", store.map(ConfigContent.string))
    set("stateDir", stateDir.map(ConfigContent.string))
    set("durability", durability.map(ConfigContent.string))
    set("record", record.map(ConfigContent.string))
    set("limits.messageBytes", limitsMessageBytes.map(ConfigContent.int))
    set("limits.actionsPerSecond", limitsActionsPerSecond.map(ConfigContent.int))
    set("limits.actionBurst", limitsActionBurst.map(ConfigContent.int))
    set("limits.writeQueueBytes", limitsWriteQueueBytes.map(ConfigContent.int))
    set("limits.bodyBytes", limitsBodyBytes.map(ConfigContent.int))
    set("limits.connections", limitsConnections.map(ConfigContent.int))
    set("limits.connectionsPerAddress", limitsConnectionsPerAddress.map(ConfigContent.int))
    set("limits.memoryMegabytes", limitsMemoryMegabytes.map(ConfigContent.int))
    set("limits.sessions", limitsSessions.map(ConfigContent.int))
    set("sessions.timeToLiveSeconds", sessionsTimeToLiveSeconds.map(ConfigContent.int))
    set("sessions.untouchedSeconds", sessionsUntouchedSeconds.map(ConfigContent.int))
    set("sessions.restSeconds", sessionsRestSeconds.map(ConfigContent.int))
    set("sessions.idleRestSeconds", sessionsIdleRestSeconds.map(ConfigContent.int))
    set("timeouts.bodySeconds", timeoutsBodySeconds.map(ConfigContent.int))
    set("timeouts.idleSeconds", timeoutsIdleSeconds.map(ConfigContent.int))
    set("compression.keepsContext", compressionKeepsContext.map(ConfigContent.bool))
    set("compression.windowBits", compressionWindowBits.map(ConfigContent.int))
    set("compression.thresholdBytes", compressionThresholdBytes.map(ConfigContent.int))
    set("timeouts.handshakeSeconds", timeoutsHandshakeSeconds.map(ConfigContent.int))
    set("timeouts.heartbeatSeconds", timeoutsHeartbeatSeconds.map(ConfigContent.int))
    set("timeouts.drainSeconds", timeoutsDrainSeconds.map(ConfigContent.int))
    set("timeouts.closingSeconds", timeoutsClosingSeconds.map(ConfigContent.int))
    return values
  }
}
