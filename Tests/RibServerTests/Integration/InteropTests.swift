import Foundation
import RibServer
import Showcase
import Testing

/// Clients that were not written here, and ribctl.
@Suite struct InteropTests {
  static let python = ProcessInfo.processInfo.environment["RIB_PYTHON"]

  private static func view(_ count: Int) -> String {
    #"{"nodes":{"1":{"state":{"count":\#(count),"isNegative":\#(count < 0)},"type":"Counter"}},"root":1}"#
  }

  @Test(.enabled(if: python != nil, "make test sets RIB_PYTHON"))
  func websocketsAndJsonpatch_arriveAtTheServersView() throws {
    let daemon = try Daemon(["--limits-actions-per-second", "0"])
    let script = repository.appendingPathComponent("Tests/Interop/counter.py").path
    let executable = URL(fileURLWithPath: try #require(Self.python))
    let (status, output, errors) = try Program.run(executable, [script, "\(daemon.port)", "1000"])
    #expect(status == 0, "\(errors)")
    #expect(output == #"{"down":\#(Self.view(-1000)),"up":\#(Self.view(1000))}"# + "\n")
  }

  @Test func ribctlAct_arrivesAtTheServersView() throws {
    let daemon = try Daemon(["--limits-actions-per-second", "0"])
    let actions = Array(repeating: "increment", count: 1000)
    let (status, output, errors) = try Program.run(
      Program.url("ribctl"), ["act", daemon.url, "--app", "counter"] + actions)
    #expect(status == 0, "\(errors)")
    #expect(output == Self.view(1000) + "\n")
  }

  @Test func ribctlAct_tellsRefusals() throws {
    let daemon = try Daemon()
    let (status, output, errors) = try Program.run(
      Program.url("ribctl"), ["act", daemon.url, "--app", "counter", "increment", "jump", "#7 reset", "decrement"])
    #expect(status == 1)
    #expect(output == Self.view(0) + "\n")
    #expect(errors.contains("(bad_action)") && errors.contains("There is no node 7. (gone)"))
  }

  @Test func ribctlConnect_showsTheViewAfterEachAction() throws {
    let daemon = try Daemon()
    let (status, output, errors) = try Program.run(
      Program.url("ribctl"), ["connect", daemon.url, "--app", "counter"],
      input: "increment\n@ decrement\n#1 reset\nfoo bar")
    #expect(status == 0)
    #expect(output.components(separatedBy: "Counter #1\n").count == 4, "\(output)")
    #expect(output.hasPrefix("Counter #1\n  count: 0\n  isNegative: false\n"))
    #expect(errors.contains("bar is no JSON"))
  }

  @Test func ribctl_saysWhyItCannotConnect() throws {
    let daemon = try Daemon()
    let unknown = try Program.run(Program.url("ribctl"), ["act", daemon.url, "--app", "nothing", "x"])
    let names = Showcase.apps.map(\.name).sorted().joined(separator: ", ")
    #expect(unknown.status != 0)
    #expect(unknown.errors.contains(#"There is no app "nothing" here. There is: \#(names)."#))
    let nobody = try Program.run(Program.url("ribctl"), ["act", "http://127.0.0.1:1", "--app", "counter", "x"])
    #expect(nobody.status != 0 && nobody.errors.lowercased().contains("connect"))
  }
}
