import RibServer
import Showcase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What `ribd demo` tells the server that it supervises, in an environment variable.
struct DemoOrder: Sendable {
  /// The name of the variable.
  static let variable = "RIB_DEMO"

  /// Which version of the counter the server has.
  var version: CounterVersion
  /// Where the page finds the app that kills the server: a URL, and behind `#` the token that lets the page in.
  var controls: String

  /// The text of the variable.
  var text: String { "\(version.rawValue) \(controls)" }

  /// An order.
  init(_ version: CounterVersion, controls: String) {
    self.version = version
    self.controls = controls
  }

  /// The order that this process has; nil for a server that was not started by `ribd demo`.
  static let ofProcess: DemoOrder? = {
    guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
    let parts = text.split(separator: " ")
    guard parts.count == 2, let version = Int(parts[0]).flatMap(CounterVersion.init) else { return nil }
    return DemoOrder(version, controls: String(parts[1]))
  }()

  /// Tells the page where its buttons lead to.
  func write(into files: inout StaticFiles) {
    let place = { (content: String) in "<meta name=\"demo\" content=\"\(content)\">" }
    files.replace(place(""), with: place(controls), in: "index.html")
  }

  /// Ends this process at once when the supervisor has ended, however that came: the standard input is a pipe that the supervisor holds.
  func endWithSupervisor() { ChildProcess.endProcess(afterClosing: STDIN_FILENO) }
}
