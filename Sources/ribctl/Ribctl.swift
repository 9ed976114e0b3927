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
    subcommands: [Connect.self, Act.self, Load.self, Replay.self, New.self, Poison.self, DevIssuer.self])

  /// Runs the command; what it throws may have a server's words, or the name of a file.
  static func main() {
    do {
      var command = try parseAsRoot()
      do {
        try command.run()
      } catch let error where exitCode(for: error) == .failure && !(error is ExitCode) {
        Terminal.complain("Error: \(message(for: error))")
        throw ExitCode.failure
      }
    } catch {
      let status = exitCode(for: error)
      Terminal.end(fullMessage(for: error), status.rawValue)
    }
  }
}

/// Which session to start, or to join.
struct SessionOptions: ParsableArguments {
  @Argument(help: "The server's URL, such as http://127.0.0.1:8080.")
  var url: String
  @Option(help: "The app to start.")
  var app: String?
  @Option(help: "The app's parameters, as JSON.")
  var params: String?
  @Option(help: "A token to join a session with, instead of --app: what :share prints to whoever is in it.")
  var join: String?
  @OptionGroup var auth: AuthOptions

  func validate() throws {
    guard (app == nil) != (join == nil) else { throw ValidationError("Say either --app or --join.") }
    guard join == nil || params == nil else { throw ValidationError("--params are for an app that is started.") }
  }

  /// Connects, and says to whom it could not.
  func makeClient(features: [ClientFeature] = []) throws -> CurlClient {
    do {
      return try connect(features: features)
    } catch let error as CurlError {
      throw UnreachableServer(url: url, reason: "\(error)")
    }
  }

  /// Connects.
  ///
  /// - Throws: `CurlError` if there is no connection.
  func connect(features: [ClientFeature] = []) throws -> CurlClient {
    let parameters: JSONValue?
    do throws(JSONError) {
      parameters = if let params { try JSONValue(parsing: params) } else { nil }
    } catch {
      throw ValidationError("--params is no JSON: \(error)")
    }
    if let join { return try CurlClient(url: url, joining: join, features: features, credential: auth.credential) }
    return try CurlClient(
      url: url, app: app ?? "", parameters: parameters, features: features, credential: auth.credential)
  }
}

/// No session could be started, for there is no server to be spoken to.
private struct UnreachableServer: Error, CustomStringConvertible {
  let url: String
  let reason: String
  var description: String { "\(url): \(reason)." }
}
