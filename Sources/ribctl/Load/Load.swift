import ArgumentParser
import Foundation
import Wire

/// Keeps a server busy, and measures how long its answers take.
struct Load: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts sessions that act as fast as they are answered, and says how long the answers took.",
    discussion: """
      Each client has a session of its own and says the actions in turn, each when the one before is answered. One whose \
      connection ends comes back and goes on, while the time of its action goes on as well. Ends with 1 if an action was \
      lost, or if it is not known what became of one.
      """)

  @OptionGroup var session: SessionOptions
  @Option(help: "How many sessions.")
  var clients = 16
  @Option(help: "How long, in seconds.")
  var seconds = 10.0
  @Argument(help: "Actions, in order, again and again.")
  var actions: [String]

  func validate() throws {
    guard session.join == nil else { throw ValidationError("Each client has a session of its own: say --app.") }
    guard 1...1000 ~= clients else { throw ValidationError("--clients is a number from 1 to 1000.") }
    guard seconds > 0, seconds <= 86_400 else { throw ValidationError("--seconds is above 0, and a day at most.") }
    guard !actions.isEmpty else { throw ValidationError("Say what the clients are to do.") }
  }

  func run() throws {
    let lines = try actions.map(ActionLine.init)
    let loaded = try (0..<clients).map { _ in LoadClient(try session.makeClient(), lines) }
    let start = ContinuousClock.now
    let end = start + .seconds(seconds)
    let threads = loaded.map { client in LoadThread { client.run(until: end) } }
    for thread in threads { thread.start() }
    for thread in threads { thread.wait() }
    let figures = loaded.reduce(into: LoadFigures()) { $0.add($1.figures) }
    Terminal.say("\(clients) clients, \(figures.text(over: start.duration(to: .now)))")
    let complaints = Set(loaded.compactMap { client in client.complaint.map { ExactString($0) } })
    for complaint in complaints.sorted() { Terminal.complain(complaint.string) }
    guard figures.lost == 0, figures.unknown == 0, loaded.allSatisfy({ $0.complaint == nil }) else { throw ExitCode(1) }
  }
}

/// A thread that can be waited for.
private final class LoadThread: @unchecked Sendable {
  // `@unchecked Sendable`: what changes is only touched with the condition locked.
  private let condition = NSCondition()
  private var hasEnded = false
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func start() {
    let thread = Thread { [self] in
      body()
      condition.withLock {
        hasEnded = true
        condition.signal()
      }
    }
    thread.start()
  }

  func wait() { condition.withLock { while !hasEnded { condition.wait() } } }
}
