package import ArgumentParser
import RibServer
import Showcase

/// `ribd check-state`: looks whether this version would bring back the sessions of a store.
package struct CheckStateCommand<Program: DaemonProgram>: AsyncParsableCommand {
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check-state",
      abstract: "Looks whether this version brings back the sessions of another one's store.",
      discussion: """
        Each session is restored as the server does it; effects are not started, and nothing is written. Ends with 0 if all sessions \
        go on with all that they know, with 1 if something would be lost, and with 2 if there is nothing to check.
        """)
  }

  @Argument(
    help: "A copy of a state directory, or the file of a backup. (default: --state-dir, which may be either)",
    completion: .file())
  var path: String?
  @Option(help: "Look at so many sessions, evenly spread over the store. (default: all)")
  var sample: Int?
  @Option(help: "How long a session may take.")
  var secondsPerSession = 60
  @Flag(name: .customLong("json"), help: "Print the report as a JSON object.")
  var isJSON = false
  @OptionGroup(title: "Settings")
  var flags: SettingFlags

  package init() {}

  package func validate() throws { try DaemonCommand.check(isFirst: "check-state") }

  package func run() async throws {
    let settings: ServerSettings
    do {
      settings = try await ServerSettings(try await flags.makeConfig())
    } catch {
      complain("\(error)")
      throw ExitCode(2)
    }
    let check = StateCheck(apps: Showcase.apps)
    let status = check.run(
      on: path ?? settings.stateDirectory, sample: sample, isJSON: isJSON, secondsPerSession: secondsPerSession)
    guard status == 0 else { throw ExitCode(status) }
  }
}
