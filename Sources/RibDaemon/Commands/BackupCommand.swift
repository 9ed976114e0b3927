package import ArgumentParser
import RibServer

/// `ribd backup`: copies the sessions into a file, also while servers use them.
package struct BackupCommand<Program: DaemonProgram>: AsyncParsableCommand {
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "backup",
      abstract: "Copies the sessions into a file, also while servers run.",
      discussion: """
        The file is there once it is whole, checked and on the disk. `\(Program.programName) restore` puts it back. To copy \
        sessions.sqlite by other means loses what is in its log, or what is written meanwhile.
        """)
  }

  @Argument(help: "Where the copy goes.", completion: .file())
  var file: String
  @Flag(help: "Replace a file that is there.")
  var force = false
  @OptionGroup(title: "Settings")
  var flags: SettingFlags

  package init() {}

  package func validate() throws { try DaemonCommand.check(isFirst: "backup") }

  package func run() async throws {
    let settings = try await ServerSettings(try await flags.makeConfig())
    let backup = try StoreBackup(of: try settings.fileStoreDirectory, to: file, replacing: force)
    announce("Copied to \(file): \(backup.sessionCount) sessions, \(backup.bytes) bytes.")
  }
}
