package import ArgumentParser
import Logging
import RibServer
import UnixSignals

/// `ribd demo`: serves the showcase, and supervises the server, so that its page can kill it.
package struct DemoCommand<Program: DaemonProgram>: AsyncParsableCommand {
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "demo",
      abstract: "Serves the showcase with a page that can kill the server.",
      discussion: """
        It starts the server as a process of its own, with the flags given here, and starts it again when it dies. The buttons of the page \
        work on this machine alone: the app behind them listens on 127.0.0.1, and wants a token that only the page has.
        """)
  }

  @OptionGroup var flags: SettingFlags

  package init() {}

  package func validate() throws { try DaemonCommand.check(isFirst: "demo") }

  package func run() async throws {
    let settings = try await DaemonConfiguration(flags).settings
    Server.prepareProcess()
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    var arguments = Array(CommandLine.arguments.dropFirst(2))
    var port = settings.port
    if port == 0 {
      // The same after each start, or the page would not find it again.
      port = try ListeningSocket.freePort(on: settings.host)
      arguments += ["--port", "\(port)"]
    }
    let server = try DemoServer(arguments, record: (try? settings.fileStoreDirectory).map { DemoRecord(in: $0) })
    let token = (0..<4).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
    let control = Server(
      apps: [App("demo", access: .identified) { DemoControl(server: server) }], settings: Self.settings(forPagesAt: port),
      authenticator: DemoKey(token: token), logger: Logger(label: "ribd.demo") { _ in SwiftLogNoOpLogHandler() })
    let address = try control.start()
    let listening = Task {
      for await signal in signals {
        switch signal {
        case .sighup: server.reload()
        default: server.end()
        }
      }
    }
    let status = try await server.run(controls: "\(address)#\(token)")
    listening.cancel()
    await control.stop()
    guard status == 0 else { throw ExitCode(status) }
  }

  /// The settings of the server behind the buttons: pages of the demo reach it, from this machine.
  private static func settings(forPagesAt port: Int) -> ServerSettings {
    var settings = ServerSettings()
    (settings.host, settings.port, settings.loops, settings.store) = ("127.0.0.1", 0, 1, .memory)
    settings.origins = ["127.0.0.1", "localhost", "[::1]"].map { "http://\($0):\(port)" }
    settings.timeouts.drainSeconds = 0
    return settings
  }
}
