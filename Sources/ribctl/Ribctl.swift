import ArgumentParser
import CurlTransport
import RibClient
import Wire

/// A terminal's renderer of riblet sessions.
@main
struct Ribctl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ribctl",
    abstract: "Talks to a RibServer, and writes what riblets begin with.",
    subcommands: [Connect.self, Act.self, New.self])
}

/// Which session to start.
struct SessionOptions: ParsableArguments {
  @Argument(help: "The server's URL, such as http://127.0.0.1:8080.")
  var url: String
  @Option(help: "The app to start.")
  var app: String
  @Option(help: "The app's parameters, as JSON.")
  var params: String?

  func makeClient() throws -> CurlClient {
    let parameters: JSONValue?
    do throws(JSONError) {
      parameters = if let params { try JSONValue(parsing: params) } else { nil }
    } catch {
      throw ValidationError("--params is no JSON: \(error)")
    }
    do {
      return try CurlClient(url: url, app: app, parameters: parameters)
    } catch let error as CurlError {
      throw UnreachableServer(url: url, reason: "\(error)")
    }
  }
}

/// No session could be started, for there is no server to be spoken to.
private struct UnreachableServer: Error, CustomStringConvertible {
  let url: String
  let reason: String
  var description: String { "\(url): \(reason)." }
}
