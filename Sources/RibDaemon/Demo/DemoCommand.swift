package import ArgumentParser
import Logging
import RibDevIssuer
import RibServer
import UnixSignals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `ribd demo`: serves the showcase, and supervises the server, so that its page can kill it.
package struct DemoCommand<Program: DaemonProgram>: AsyncParsableCommand {
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "demo",
      abstract: "Serves the showcase with a page that can kill the server.",
      discussion: """
        It starts the server as a process of its own, with the flags given here, and starts it again when it dies. The buttons of the page \
        work on this machine alone: the app behind them listens on 127.0.0.1, and wants a token that is in the page. Other machines and pages \
        of other sites cannot use it; any program on this machine can. An issuer beside it signs the page's user in under any name. If you \
        configure auth, the server uses your issuer.
        """)
  }

  @Flag(help: "Let other devices of the network in, such as a phone: all of them, without a password.") var lan = false
  @OptionGroup var flags: SettingFlags

  package init() {}

  package func validate() throws {
    try DaemonCommand.check(isFirst: "demo")
    let hasHost = CommandLine.arguments.contains { $0 == "--host" || $0.hasPrefix("--host=") }
    if lan, hasHost { throw ValidationError("--lan listens on all addresses of this machine; leave --host out.") }
  }

  package func run() async throws {
    let configuration = try await DaemonConfiguration(flags)
    let settings = configuration.settings
    guard settings.store != .postgres else {
      throw ValidationError("A demo keeps its sessions in a file or in memory: set store to sqlite or memory.")
    }
    // The parent may have left SIGCHLD ignored: then waitpid(2) does not tell how the server ended.
    signal(SIGCHLD, SIG_DFL)
    Server.prepareProcess()
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    var arguments = Array(CommandLine.arguments.dropFirst(2)).filter { $0 != "--lan" }
    if lan { arguments += ["--host", "0.0.0.0"] }
    var port = settings.port
    if port == 0 {
      // The same after each start, or the page would not find it again.
      port = try ListeningSocket.freePort(on: settings.host)
      arguments += ["--port", "\(port)"]
    }
    let server = try DemoServer(record: (try? settings.fileStoreDirectory).map { DemoRecord(in: $0) })
    // An origin does not name the scheme's own port.
    let origins = ["127.0.0.1", "localhost", "[::1]"].map { "http://\($0)\(port == 80 ? "" : ":\(port)")" }
    let token = (0..<4).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
    // A new key each time: tokens are good for minutes.
    let signer = TokenSigner(key: IssuerKey(), issuer: "ribd-demo")
    let control = Server(
      apps: [App("demo", access: .identified) { DemoControl(server: server) }, signer.app(for: .identified)],
      files: signer.files, settings: Self.settings(origins: origins),
      authenticator: DemoKey(token: token, origins: origins),
      logger: Logger(label: "ribd.demo") { _ in SwiftLogNoOpLogHandler() })
    let address = try control.start()
    if configuration.tokenSettings == nil { arguments += Self.flags(for: signer, at: "\(address)") }
    if lan { Self.announceNetwork(port: port) }
    let beganAtTerminal = isTerminal
    let listening = Task {
      for await signal in signals {
        switch signal {
        // The terminal may be gone, and with it whoever could end the demo.
        case .sighup where !beganAtTerminal || isTerminal: server.reload()
        default: server.end()
        }
      }
    }
    let status = try await server.run(arguments, controls: "\(address)#\(token)")
    listening.cancel()
    await control.stop()
    guard status == 0 else { throw ExitCode(status) }
  }

  /// Says where other devices find the page.
  private static func announceNetwork(port: Int) {
    complain("Everyone in this network can use this server: stop it when you are done.", as: "Warning")
    let addresses = NetworkAddresses.ofThisMachine
    if addresses.isEmpty { complain("This machine has no address in a network.", as: "Warning") }
    for address in addresses { announce("Other devices open http://\(address):\(port)") }
    announce("This machine, whose page has the button that kills the server, opens http://127.0.0.1:\(port)")
  }

  /// The settings with which the server knows persons by the supervisor's tokens.
  private static func flags(for signer: TokenSigner, at url: String) -> [String] {
    [
      "--auth-mode", "jwt", "--auth-issuer", signer.issuer, "--auth-audience", signer.audience,
      "--auth-keys-url", "\(url)/keys.json", "--auth-required", "false",
    ]
  }

  /// The settings of the server behind the buttons: pages of the demo reach it, from this machine.
  private static func settings(origins: [String]) -> ServerSettings {
    var settings = ServerSettings()
    (settings.host, settings.port, settings.loops, settings.store) = ("127.0.0.1", 0, 1, .memory)
    settings.origins = origins
    (settings.timeouts.drainSeconds, settings.timeouts.closingSeconds) = (0, 1)
    // Each connection of the page's user begins with a token, which is a session of the issuer.
    settings.limits.newSessionsPerMinute = 0
    settings.sessions.timeToLiveSeconds = 60
    return settings
  }
}
