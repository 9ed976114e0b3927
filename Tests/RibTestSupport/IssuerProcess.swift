import Foundation
import Synchronization

/// An issuer of tokens that was not written here: joserfc signs, Python serves, openssl has made the certificate.
///
/// `@unchecked Sendable`: the process and its pipes do not change, and one command at a time is written and answered.
package final class IssuerProcess: @unchecked Sendable {
  /// The Python that has joserfc; nil unless `make test` says it.
  package static let python = ProcessInfo.processInfo.environment["RIB_PYTHON"]

  /// What went wrong over there.
  package struct Failure: Error {
    package let reason: String
    package init(reason: String) { self.reason = reason }
  }

  /// What it says first, as JSON: where it serves, and its certificate.
  package private(set) var greeting = ""
  private let process = Process()
  private let commands = Pipe()
  private let answers = Pipe()
  private let rest = Mutex<[UInt8]>([])
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("issuer-\(UUID().uuidString)")

  /// Starts one, with keys of its own; it ends with this process, or with what refers to it.
  ///
  /// - Throws: ``Failure``, or what the system says.
  package init() throws {
    guard let python = Self.python else { throw Failure(reason: "make test sets RIB_PYTHON") }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [repository.appendingPathComponent("Tests/Interop/issuer.py").path, directory.path]
    process.standardInput = commands
    process.standardOutput = answers
    try process.run()
    greeting = try rest.withLock { try readLine(&$0) }
  }

  deinit {
    try? commands.fileHandleForWriting.close()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Has a command done, and waits for the answer.
  ///
  /// - Parameter command: a JSON object in one line, as issuer.py describes it.
  /// - Returns: another one.
  /// - Throws: ``Failure`` if the process has ended, or what the system says.
  package func ask(_ command: String) throws -> String {
    try rest.withLock { rest in
      try commands.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
      return try readLine(&rest)
    }
  }

  private func readLine(_ rest: inout [UInt8]) throws -> String {
    while !rest.contains(UInt8(ascii: "\n")) {
      let data = answers.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Failure(reason: "the issuer has ended") }
      rest += data
    }
    let line = rest.prefix { $0 != UInt8(ascii: "\n") }
    rest.removeFirst(line.count + 1)
    return String(decoding: line, as: UTF8.self)
  }
}
