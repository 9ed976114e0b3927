import ArgumentParser
import Logging
import RibDevIssuer
import RibServer
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension DevIssuer {
  /// `ribctl dev-issuer serve`.
  struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Serves the keys, and the app issuer, which signs tokens.",
      discussion: """
        A page gets a token with riblet.js, curl over HTTP: from the app issuer, by the action \
        {"sign":{"subject":"ada","roles":["boss"],"seconds":300}}; the view has it then.
        """)

    @Option(help: "The port to listen on, at 127.0.0.1; it is a part of the issuer's name.")
    var port = DevIssuer.defaultPort
    @OptionGroup var options: Options

    func validate() throws {
      guard (1...65_535).contains(port) else { throw ValidationError("--port is from 1 to 65535.") }
    }

    func run() throws {
      let url = DevIssuer.url(port: port)
      let signer = try options.signer(issuer: url)
      let logger = Logger(label: "dev-issuer") { _ in TerminalLog() }
      let server = Server(
        apps: [signer.app()], files: signer.files, settings: Self.settings(port: port), logger: logger)
      _ = try server.start()
      Terminal.say(
        """
        The issuer is at \(url). It signs whatever it is asked to, for every page of this machine: for development only.
        Start ribd with: ribd --auth-mode jwt --auth-issuer \(url) --auth-audience \(signer.audience) \
        --auth-keys-url discover --auth-required false
        """)
      // Until a signal ends the process: nothing in memory has to be saved.
      while true { pause() }
    }

    /// The pages of servers on this machine, at any port: a page of any other server would get tokens from whoever looks at it.
    static let origins = ["http", "https"].flatMap { scheme in
      ["127.0.0.1", "localhost", "[::1]"].map { "\(scheme)://\($0):*" }
    }

    /// Nothing is stored, and pages of this machine may connect.
    static func settings(port: Int) -> ServerSettings {
      var settings = ServerSettings(port: port)
      settings.store = .memory
      settings.origins = origins
      // Long enough between the requests of a script.
      settings.sessions.timeToLiveSeconds = 60
      return settings
    }
  }
}
