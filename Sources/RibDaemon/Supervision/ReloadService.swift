import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reloads the settings each time that the process gets SIGHUP.
struct ReloadService: Service {
  /// The signals, from the start of the process on.
  let hangUps: UnixSignalsSequence
  let reloader: Reloader
  /// Whether a person has started the daemon at a terminal.
  let beganAtTerminal: Bool

  func run() async throws {
    for await _ in hangUps.cancelOnGracefulShutdown() {
      // The terminal that the daemon was started at is gone, and with it whoever could end the daemon.
      // A fault is in the log.
      if beganAtTerminal, !isTerminal { kill(getpid(), SIGTERM) } else { _ = try? await reloader.reload() }
    }
  }
}
