import ArgumentParser
import RibDaemon
import RibPostgres
import RibServer

/// The daemon for several machines: the same, and sessions may be in PostgreSQL.
@main
struct RibdCluster: AsyncParsableCommand, DaemonProgram {
  static let programName = "ribd-cluster"
  static let stores: [ExternalStore] = [.postgres]
  static let configuration = DaemonCommand.configuration(of: Self.self)

  @OptionGroup var flags: SettingFlags

  func run() async throws { try await DaemonCommand.serve(flags, as: Self.self) }
}
