import Foundation
import Testing

@testable import RibDaemon

@Suite struct SupervisorTests {
  /// A supervisor's socket.
  private final class Inbox {
    let descriptor: Int32

    init(_ path: String) throws {
      #if os(Linux)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      #else
        descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
      #endif
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { room in
        room.copyBytes(from: path.utf8)
        if path.hasPrefix("@") { room[0] = 0 }
      }
      let start = try #require(MemoryLayout.offset(of: \sockaddr_un.sun_path))
      let size = path.hasPrefix("@") ? start + path.utf8.count : MemoryLayout<sockaddr_un>.size
      let status = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(size)) }
      }
      try #require(status == 0)
    }

    deinit { close(descriptor) }

    func next() -> String {
      var bytes = [UInt8](repeating: 0, count: 1000)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
  }

  @Test func supervisor_isTold() throws {
    let path = NSTemporaryDirectory() + "notify-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for name in [path, "@ribd-test-\(UInt64.random(in: 0 ... .max))"] {
      #if !os(Linux)
        if name.hasPrefix("@") { continue }
      #endif
      let inbox = try Inbox(name)
      let supervisor = Supervisor(processID: 42) { $0 == "NOTIFY_SOCKET" ? name : nil }
      supervisor.tell("READY=1", "STATUS=Listens.")
      #expect(inbox.next() == "READY=1\nSTATUS=Listens.")
      #expect(supervisor.watchdogNanoseconds == nil)
    }
  }

  @Test func watchdog_isToldTwiceInItsTime() {
    let supervisor = { (variables: [String: String]) in Supervisor(processID: 42) { variables[$0] } }
    #expect(supervisor(["WATCHDOG_USEC": "30000000"]).watchdogNanoseconds == 15_000_000_000)
    #expect(supervisor(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"]).watchdogNanoseconds == 15_000_000_000)
    #expect(supervisor(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "41"]).watchdogNanoseconds == nil)
    #expect(supervisor(["WATCHDOG_USEC": "x"]).watchdogNanoseconds == nil)
    #expect(supervisor([:]).watchdogNanoseconds == nil)
  }

  /// Whoever starts the daemon by hand has no supervisor.
  @Test(arguments: [nil, "", "relative", "/nowhere/\(String(repeating: "x", count: 200))", "/nowhere/notify"])
  func supervisorThatIsNotThere_isNotTold(_ name: String?) {
    Supervisor(processID: 42) { $0 == "NOTIFY_SOCKET" ? name : nil }.tell("READY=1")
  }
}
