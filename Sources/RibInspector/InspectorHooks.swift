public import RibServer

/// The parts that an inspector gets from the program around the server: a part that is missing is not offered to operators.
///
/// The closures that are called for an operator return one sentence about what has become of it, and throw an error whose description is one.
public struct InspectorHooks: Sendable {
  /// The newest lines of the log; nil if the program keeps none.
  public var log: RecentLog?
  /// The level from which on the log is written; nil if the program does not know.
  package var writtenLevel: (@Sendable () -> WrittenLevel)?
  /// Has the log written from a level on for ten minutes, and takes the level's name in swift-log.
  package var writeLog: (@Sendable (_ level: String) async throws -> String)?
  /// Says where a setting's value comes from, by its name in a file: `flag`, an environment variable, `file` or `default`; nil if that is
  /// not known.
  public var settingSource: @Sendable (_ key: String) -> String? = { _ in nil }
  /// The settings of the program besides the server's.
  package var programSettings: @Sendable () -> [SettingReport] = { [] }
  /// The keys by which credentials are checked, and those that are not used.
  package var keys: (@Sendable () async -> SignInReport)?
  /// The reports that were written as processes died, the newest first.
  package var crashReports: @Sendable () async -> [CrashSummary.Report] = { [] }
  /// The last copy of the store that this process has made.
  package var lastBackup: @Sendable () async -> StoreReport.Backup? = { nil }
  /// Copies the store.
  public var backUp: (@Sendable () async throws -> String)?
  /// Begins the end of the program, which asks clients to go elsewhere.
  public var drain: (@Sendable () async throws -> String)?
  /// Reads the settings again.
  public var reload: (@Sendable () async throws -> String)?
  /// Fetches the issuer's keys again.
  public var refetchKeys: (@Sendable () async throws -> String)?

  /// No hooks.
  public init() {}
}
