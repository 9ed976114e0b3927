import ArgumentParser
import RibDevIssuer

/// An issuer of tokens, to try out how users sign in.
struct DevIssuer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dev-issuer",
    abstract: "Signs JSON Web Tokens, to try out how users sign in.",
    discussion: """
      It signs whatever it is asked to, for whoever asks: for development only. `serve` is an issuer that a server finds the \
      keys of and a page gets tokens from; `token` prints one, for curl and for \
      `ribctl connect --auth-command 'ribctl dev-issuer token ada'`.
      """,
    subcommands: [Serve.self, Token.self], defaultSubcommand: Serve.self)

  /// The key that tokens are signed with, and their audience.
  struct Options: ParsableArguments {
    @Option(help: ArgumentHelp("Where the key is; it is made if there is none.", valueName: "directory"))
    var stateDir = "dev-issuer-state"
    @Option(help: "What the tokens are for: the audience that the server expects.")
    var audience = TokenSigner.defaultAudience

    /// Makes the signer.
    ///
    /// - Parameter issuer: the issuer's URL.
    /// - Returns: a signer with the key of the directory.
    /// - Throws: `UnusableKey`.
    func signer(issuer: String) throws -> TokenSigner {
      TokenSigner(key: try IssuerKey(directory: stateDir), issuer: issuer, audience: audience)
    }
  }

  /// The port of the issuer, unless `--port` names another one.
  static let defaultPort = 9000

  /// The URL of the issuer.
  static func url(port: Int) -> String { "http://127.0.0.1:\(port)" }
}
