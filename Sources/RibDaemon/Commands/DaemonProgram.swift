package import RibServer

/// A program that is the daemon: what `ribd` and `ribd-cluster` differ in, for the commands that they share.
package protocol DaemonProgram: Sendable {
  /// The name of its command.
  static var programName: String { get }
  /// Kinds of stores that it has besides the server's own.
  static var stores: [ExternalStore] { get }
}
