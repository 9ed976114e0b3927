package import ArgumentParser
import RibServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `ribd restore`: puts sessions back from a copy, while no server runs.
package struct RestoreCommand<Program: DaemonProgram>: AsyncParsableCommand {
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "restore",
      abstract: "Puts sessions back from a copy that `\(Program.programName) backup` has made.",
      discussion: """
        No server may run on the state directory. Sessions go on as they were when the copy was made, and clients are sent the \
        whole view. Persons who were signed out since stay so. The store that is replaced is kept under another name.
        """)
  }

  @Argument(help: "The copy; it stays as it is.", completion: .file())
  var file: String
  @Flag(help: "Replace a store that is damaged, and lose which persons were signed out since the copy was made.")
  var force = false
  @OptionGroup(title: "Settings")
  var flags: SettingFlags

  package init() {}

  package func validate() throws { try DaemonCommand.check(isFirst: "restore") }

  package func run() async throws {
    let settings = try await ServerSettings(try await flags.makeConfig())
    let directory = try settings.fileStoreDirectory
    let done = try StoreRestoration(from: file, to: directory, force: force)
    let age = done.time.map { ", as they were at \(Date(timeIntervalSince1970: Double($0)).formatted(.iso8601))" } ?? ""
    announce("Put back to \(directory): \(done.sessionCount) sessions\(age).")
    if done.signOutCount > 0 {
      announce("Kept \(done.signOutCount) sign-outs that are newer than the copy.")
    }
    if let replaced = done.replaced {
      announce("The store that was there is \(replaced): remove it once it is not needed.")
    }
    announce("Start the server: clients come back and are sent the whole view.")
  }
}
