import CurlTransport
import Logging
import RibServer
import Testing
import Wire

@testable import Showcase

/// Runs `body` against a server in this process, and stops it.
func withServer(
  apps: [App] = [App("counter") { Counter() }], files: StaticFiles = StaticFiles(),
  environment: Environment = .system, authenticator: (any SessionAuthenticator)? = nil,
  logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
  _ change: (inout ServerSettings) -> Void = { _ in },
  _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
) async throws {
  var settings = ServerSettings()
  settings.port = 0
  settings.loops = 2
  settings.store = .memory
  settings.limits.actionsPerSecond = 0
  settings.timeouts.drainSeconds = 0
  // On a machine with other work nothing is said to hang because it takes long.
  settings.timeouts.watchdogSeconds = 0
  settings.timeouts.authenticationSeconds = 300
  // A client that waits for something else answers no ping.
  settings.timeouts.heartbeatSeconds = 600
  // Most clients of a test go without a close.
  settings.timeouts.closingSeconds = 1
  change(&settings)
  let server = Server(
    apps: apps, files: files, settings: settings, authenticator: authenticator, logger: logger, environment: environment
  )
  let url = try server.start().description
  do {
    try await body(server, url)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

extension CurlWebSocket {
  /// Sends text.
  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// The next message's text; nil at the end.
  func text(timeout: Int = CurlSocket.defaultTimeout) throws -> String? {
    switch try receive(timeout: timeout) {
    case .message(let bytes): String(decoding: bytes, as: UTF8.self)
    case .closed: nil
    }
  }

  /// Says hello to the counter and takes `welcome` and `snap`.
  static func counter(_ url: String) throws -> CurlWebSocket {
    let socket = try CurlWebSocket(url: url)
    try socket.send(#"{"t":"hello","app":"counter"}"#)
    let welcome = try socket.text() ?? ""
    let snap = try socket.text() ?? ""
    try #require(welcome.hasPrefix(#"{"t":"welcome""#) && snap.hasPrefix(#"{"t":"snap""#))
    return socket
  }
}
