import ArgumentParser
import RibDaemon
import RibServer

/// The daemon: the showcase's apps on a server of one machine.
@main
struct Ribd: AsyncParsableCommand, DaemonProgram {
  static let programName = "ribd"
  static let stores: [ExternalStore] = []
  static let configuration = DaemonCommand.configuration(of: Self.self)

  @OptionGroup var flags: SettingFlags

  func run() async throws { try await DaemonCommand.serve(flags, as: Self.self) }
}
