package import ArgumentParser
import RibServer

/// `ribd health`: asks the server that the settings describe whether it is well, for supervisors that run a command.
package struct HealthCommand<Program: DaemonProgram>: AsyncParsableCommand {
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "health",
      abstract: "Asks the server that the settings describe whether it is well.",
      discussion:
        "Give it the flags of the daemon. The exit code is 0 if the server is well, otherwise 1; it takes three seconds at most."
    )
  }

  @OptionGroup var flags: SettingFlags
  @Flag(help: "Ask whether clients may be sent there, and not only whether the server lives.") var ready = false

  package init() {}

  package func validate() throws { try DaemonCommand.check(isFirst: "health") }

  package func run() async throws {
    do {
      let settings = try await ServerSettings(try await flags.makeConfig())
      let probe = try HealthProbe(settings)
      let (status, word) = try probe.ask(ready ? "/readyz" : "/livez")
      guard status == 200 else { throw HealthError("The server at \(probe) says \(status) \(word).") }
      announce("The server at \(probe) says \(word).")
    } catch {
      complain("\(error)")
      throw ExitCode(1)
    }
  }
}
