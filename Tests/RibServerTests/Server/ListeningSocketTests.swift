import Foundation
import Testing

@testable import RibServer

/// Sockets in the file system.
@Suite struct ListeningSocketTests {
  private static func withPath(_ body: (String) throws -> Void) rethrows {
    let path = NSTemporaryDirectory() + "rib-\(UInt64.random(in: 0 ... .max)).sock"
    try body(path)
    try? FileManager.default.removeItem(atPath: path)
  }

  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func socket_isForItsUser_untilItIsOpenedToTheGroup() throws {
    try Self.withPath { path in
      let socket = try ListeningSocket(host: "unix:\(path)", port: 0)
      #expect(socket.address == "unix:\(path)")
      #expect(try Self.mode(path) == 0o600)
      socket.openToGroup()
      #expect(try Self.mode(path) == 0o660)
      closeDescriptor(socket.descriptor)
      socket.removeFile()
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  /// A process that was killed leaves its file.
  @Test func fileOfADeadProcess_isReplaced_andThatOfALivingOneIsNot() throws {
    try Self.withPath { path in
      let dead = try ListeningSocket(host: "unix:\(path)", port: 0)
      closeDescriptor(dead.descriptor)
      let living = try ListeningSocket(host: "unix:\(path)", port: 0)
      let error = #expect(throws: SystemError.self) { try ListeningSocket(host: "unix:\(path)", port: 0) }
      #expect(error?.code == EADDRINUSE)
      // It is another one's by now.
      dead.removeFile()
      #expect(FileManager.default.fileExists(atPath: path))
      closeDescriptor(living.descriptor)
    }
  }

  @Test func fileThatIsNoSocket_staysWhereItIs() throws {
    try Self.withPath { path in
      try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
      let error = #expect(throws: SystemError.self) { try ListeningSocket(host: "unix:\(path)", port: 0) }
      #expect(error?.code == EADDRINUSE)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }
  }

  @Test func pathThatIsTooLong_isAnError() {
    let error = #expect(throws: SystemError.self) {
      try ListeningSocket(host: "unix:/tmp/\(String(repeating: "x", count: 200))", port: 0)
    }
    #expect(error?.code == ENAMETOOLONG)
  }
}
