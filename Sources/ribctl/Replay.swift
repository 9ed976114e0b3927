import ArgumentParser
import Foundation
import Wire

/// Shows a recorded session, step by step.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a session that a server has recorded: what came, what changed, and the view after it.",
    discussion: """
      A server records sessions with --record DIRECTORY, a file each. No app is run: what is shown is what was recorded. To \
      run it again as a test, see TestSession.replay in RibTesting.
      """)

  @Argument(help: "The recording, DIRECTORY/SESSION.jsonl.")
  var file: String
  @Option(help: ArgumentHelp("Show only the view after this transaction.", valueName: "number"))
  var at: UInt64?

  func run() throws {
    let recording: SessionRecording
    do {
      recording = try SessionRecording(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: file))))
    } catch let error as SessionRecordingError {
      throw ValidationError("\(file): \(error)")
    }
    for line in recording.tornLines {
      Terminal.complain("Line \(line) is cut off: the server was killed, or the disk was full. It is left out.")
    }
    if let at {
      guard let view = try ReplayText.view(of: recording, after: at) else {
        throw ValidationError("\(file) has no transaction \(at).")
      }
      return Terminal.say(ViewText.render(view))
    }
    try ReplayText.render(recording) { Terminal.say($0) }
  }
}
