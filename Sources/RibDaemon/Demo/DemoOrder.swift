import RibServer
import Showcase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The message of `ribd demo` to the server that it supervises, in an environment variable.
struct DemoOrder: Sendable {
  /// The name of the variable.
  static let variable = "RIB_DEMO"
  /// The server's descriptor of the pipe by which the supervisor learns that it listens.
  static let readyDescriptor: Int32 = 9

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
  func tellPage(in files: inout StaticFiles) {
    let place = { (content: String) in "<meta name=\"demo\" content=\"\(content)\">" }
    files.replace(place(""), with: place(controls), in: "index.html")
  }

  /// Tells the supervisor that the server listens.
  func tellReady() {
    var byte: UInt8 = 1
    _ = write(Self.readyDescriptor, &byte, 1)
    close(Self.readyDescriptor)
  }

  /// Ends this process at once when the supervisor has ended, by whatever cause: the standard input is a pipe that the supervisor holds.
  func endWithSupervisor() { ChildProcess.endProcess(afterClosing: STDIN_FILENO) }
}
