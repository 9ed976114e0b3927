import RibServer
import ServiceLifecycle

/// Tells the supervisor that the daemon is well for as long as all loops of its server come back, and that it stops.
struct SupervisionService: Service {
  let supervisor: Supervisor
  let server: Server

  func run() async throws {
    await withGracefulShutdownHandler {
      guard let interval = supervisor.watchdogNanoseconds else {
        try? await gracefulShutdown()
        return
      }
      await cancelWhenGracefulShutdown {
        while (try? await Task.sleep(nanoseconds: interval)) != nil {
          if await server.isLive(within: .nanoseconds(Int64(clamping: interval))) { supervisor.tell("WATCHDOG=1") }
        }
      }
    } onGracefulShutdown: {
      supervisor.tell("STOPPING=1", "STATUS=Asks clients to go elsewhere.")
    }
  }
}
