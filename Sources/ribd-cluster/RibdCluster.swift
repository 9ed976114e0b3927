import ArgumentParser
import RibDaemon
import RibPostgres

/// The daemon for several machines: the same, and sessions may be in PostgreSQL.
@main
struct RibdCluster: AsyncParsableCommand {
  static let configuration = DaemonCommand.configuration("ribd-cluster")

  @OptionGroup var flags: SettingFlags

  func run() async throws { try await DaemonCommand.serve(flags, stores: [.postgres]) }
}
