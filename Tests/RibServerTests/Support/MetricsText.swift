import CurlTransport
import Logging
import RibServer
import Testing

/// What a server says at `/metrics`.
struct MetricsText {
  let text: String
  private var values: [String: Double] = [:]

  /// Reads a text.
  init(_ text: String) {
    self.text = text
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " ") else { continue }
      let value = line[line.index(after: space)...]
      values[String(line[..<space])] = value == "+Inf" ? .infinity : Double(value)
    }
  }

  /// The value of a time series, by its name and labels as they are written; nil if there is none.
  subscript(_ series: String) -> Double? { values[series] }

  /// The sum of all time series of a name.
  func sum(_ name: String) -> Double {
    values.reduce(0) { $1.key == name || $1.key.hasPrefix("\(name){") ? $0 + $1.value : $0 }
  }
}

extension AdminServer {
  /// Runs a body against an admin server of a server.
  static func with(
    _ server: Server, apps: [App] = [], files: StaticFiles = StaticFiles(),
    tokens: AdminTokens? = AdminTokens(token: "secret"), logger: Logger = Logger(label: "ribserver.admin"),
    _ body: @escaping @Sendable (AdminServer, _ url: String) async throws -> Void
  ) async throws {
    let admin = try AdminServer(of: server, apps: apps, files: files, tokens: tokens, logger: logger)
    let url = try admin.start().description
    do {
      try await body(admin, url)
    } catch {
      await admin.stop()
      throw error
    }
    await admin.stop()
  }
}

/// The metrics of a server by its admin listener.
///
/// - Parameter url: the listener's.
/// - Returns: the metrics.
/// - Throws: what the client throws, or that the answer is not 200.
func scrape(_ url: String) async throws -> MetricsText {
  try await blocking {
    let client = try TwinClient(url)
    defer { client.cut() }
    let answer = try client.ask("GET", "/metrics", headers: ["Authorization: Bearer secret"])
    try #require(answer.status == 200)
    return MetricsText(answer.body)
  }
}
