import ArgumentParser
import CurlTransport
import Foundation

/// Where the client gets its credential.
struct AuthOptions: ParsableArguments {
  @Option(help: "The credential that says who you are. Others on this machine see it in the list of processes.")
  var auth: String?
  @Option(
    help: "A shell command that prints the credential; run before each connection, and before the last one is over.")
  var authCommand: String?

  func validate() throws {
    guard auth == nil || authCommand == nil else { throw ValidationError("Say either --auth or --auth-command.") }
  }

  /// The source of credentials; nil for an anonymous client.
  var credential: Credential? {
    if let auth { return { auth } }
    guard let authCommand else { return nil }
    return { try Self.output(of: authCommand) }
  }

  private static func output(of command: String) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw AuthCommandError(reason: "it has ended with \(process.terminationStatus)")
    }
    let token = output.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw AuthCommandError(reason: "it has printed nothing") }
    return token
  }
}

/// The command has failed, or has printed no credential.
private struct AuthCommandError: Error, CustomStringConvertible {
  let reason: String
  var description: String { "--auth-command: \(reason)." }
}
