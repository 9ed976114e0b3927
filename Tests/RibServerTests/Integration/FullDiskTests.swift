import Foundation
import Testing
import Wire

/// A disk on which there is really no room: what is mapped of a file that has no place on it kills whoever writes there.
@Suite(.timeLimit(.minutes(5))) struct FullDiskTests {
  /// A file system in memory, for which one has to be the superuser.
  private static let canMount = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare")

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func daemon(kilobytes: Int, filled: Bool = false, log: String? = nil) throws -> Daemon {
    let filler = filled ? " && (head -c \(kilobytes << 10) /dev/zero >\(directory.path)/filler || true)" : ""
    return try Daemon(
      stateDirectory: directory.path, log: log,
      prelude: "mount -t tmpfs -o size=\(kilobytes)k none \(directory.path)\(filler)", hasOwnMounts: true)
  }

  /// A file that takes all the room that is left on the daemon's disk.
  private func filler(_ daemon: Daemon) -> String { "/proc/\(daemon.pid)/root\(directory.path)/filler" }

  @Test(.enabled(if: canMount, "only the superuser may mount"))
  func diskThatIsFull_isSurvived_andWhatWasDoneIsStoredThen() async throws {
    let daemon = try daemon(kilobytes: 1024)
    try await blocking {
      let client = try PlainClient(daemon.url, app: "counter")
      try client.act(1, #""increment""#)
      try client.next(#"{"t":"patch""#)
      let file = try #require(fopen(filler(daemon), "w"))
      setvbuf(file, nil, _IONBF, 0)
      while fputc(0, file) != EOF {}
      #expect(errno == ENOSPC)
      fclose(file)
      var number = 1
      var answer = ""
      // There is still some room in pages that the log has.
      while answer != #"{"t":"notice","durability":"none"}"# {
        number += 1
        try #require(number < 1000)
        try client.act(number, #""increment""#)
        answer = try client.next()
      }
      try client.next(#"{"t":"patch""#)
      // Others come, act and leave as well: what runs is noted, and the log's index is used.
      for _ in 0..<20 {
        let other = try PlainClient(daemon.url, app: "counter")
        try other.act(1, #""increment""#)
        try other.next(#"{"t":"patch""#)
        other.cut()
      }
      try FileManager.default.removeItem(atPath: filler(daemon))
      try client.next(#"{"t":"notice","durability":"disk"}"#)
      try client.act(number + 1, #""increment""#)
      #expect(try client.next(#"{"t":"patch""#).contains(#""value":\#(number + 1)}"#))
    }
    #expect(daemon.stop() == 0)
  }

  /// A daemon that finds no room says so, and does not begin.
  @Test(.enabled(if: canMount, "only the superuser may mount")) func daemonOnAFullDisk_doesNotBegin() async throws {
    try await blocking {
      // Not on the disk that is full.
      let log = "\(try TemporaryDirectory().path).log"
      defer { try? FileManager.default.removeItem(atPath: log) }
      #expect(throws: DaemonError.self) { try daemon(kilobytes: 1024, filled: true, log: log) }
      let text = try String(contentsOfFile: log, encoding: .utf8)
      #expect(text.contains("The disk is full: make room."), "\(text)")
    }
  }
}
