import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A WebSocket counter written directly on SwiftNIO: the peer against which RibServer's CPU per action is measured.
///
/// It speaks just enough of RibServer's protocol for a load generator to drive both servers with one script, and has
/// none of its features: no views, no diffing, no JSON parser. What it costs per action is what NIO costs per action.
@main
enum NIOCounter {
  static func main() async throws {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      print(Options.usage)
      exit(2)
    }

    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: options.threads))
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          _ = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: .init(upgradeConfiguration: upgradeConfiguration))
        }
      }
      .bind(host: options.host, port: options.port)
      .get()

    print("listening on http://\(options.host):\(channel.localAddress?.port ?? options.port)")
    // Whoever started the server may be waiting for this line at the other end of a pipe.
    fflush(nil)
    try await channel.closeFuture.get()
  }

  /// Upgrades every path, and hangs up on a client that asks for anything else.
  private static let upgradeConfiguration = NIOTypedHTTPServerUpgradeConfiguration(
    upgraders: [
      NIOTypedWebSocketServerUpgrader(
        // `CounterHandler` answers protocol errors itself: one handler less for every message to pass through.
        enableAutomaticErrorHandling: false,
        shouldUpgrade: { channel, head in
          var headers = HTTPHeaders()
          if let offered = head.headers[canonicalForm: "Sec-WebSocket-Protocol"].first {
            headers.add(name: "Sec-WebSocket-Protocol", value: String(offered))
          }
          return channel.eventLoop.makeSucceededFuture(headers)
        },
        upgradePipelineHandler: { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(CounterHandler())
          }
        })
    ],
    notUpgradingCompletionHandler: { channel in channel.close() })
}
