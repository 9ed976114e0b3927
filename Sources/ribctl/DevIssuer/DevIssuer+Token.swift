import ArgumentParser
import Foundation
import RibDevIssuer

extension DevIssuer {
  /// `ribctl dev-issuer token`.
  struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints a token.")

    @Argument(help: "The person.")
    var subject: String
    @Option(help: "What the person may do, separated by commas.")
    var roles = ""
    @Option(help: "How long the token is good for.")
    var seconds = TokenRequest.defaultSeconds
    @Option(help: "The issuer's URL, as the server knows it.")
    var issuer = DevIssuer.url(port: DevIssuer.defaultPort)
    @OptionGroup var options: Options

    private var request: TokenRequest {
      TokenRequest(subject: subject, roles: roles.split(separator: ",").map(String.init), seconds: seconds)
    }

    func validate() throws {
      if let fault = request.fault { throw ValidationError(fault) }
    }

    func run() throws { Terminal.say(try options.signer(issuer: issuer).token(for: request, at: Date())) }
  }
}
