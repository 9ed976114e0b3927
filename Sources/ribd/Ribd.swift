import ArgumentParser
import RibDaemon

/// The daemon: the showcase's apps on a server of one machine.
@main
struct Ribd: AsyncParsableCommand {
  static let configuration = DaemonCommand.configuration("ribd")

  @OptionGroup var flags: SettingFlags

  func run() async throws { try await DaemonCommand.serve(flags) }
}
