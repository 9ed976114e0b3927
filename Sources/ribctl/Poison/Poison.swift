import ArgumentParser
import RibServer

/// What a server does not run again.
struct Poison: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what a server does not run again, and lets it do so.",
    discussion: """
      What a server's process has died of twice is set aside: an action is refused with the code poisoned, a session that \
      cannot come back into memory is closed with 4201. Once the app is mended, lift that. Both work on the server's state \
      directory, also while it runs.
      """,
    subcommands: [List.self, Lift.self])

  /// Where the server keeps its state.
  struct Place: ParsableArguments {
    @Option(help: ArgumentHelp("The server's state directory.", valueName: "directory"))
    var stateDir = ServerSettings().stateDirectory

    /// Opens it.
    ///
    /// - Throws: `StoreError` if there is no store.
    func open() throws -> StateDirectory { try StateDirectory(stateDir) }
  }

  /// `ribctl poison list`.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists what is set aside, a line each: session, app, what it was, how often the process died.")

    @OptionGroup var place: Place

    func run() throws {
      for entry in try place.open().poison() { Terminal.say(entry.description) }
    }
  }

  /// `ribctl poison lift`.
  struct Lift: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has what is set aside run again, when its session is brought into memory next.")

    @OptionGroup var place: Place
    @Argument(help: "The session, as the list names it.")
    var session: String?
    @Flag(help: "All that is set aside.")
    var all = false

    func validate() throws {
      guard (session == nil) == all else { throw ValidationError("Name a session, or say --all.") }
    }

    func run() throws {
      let count = try place.open().lift(session: session)
      guard count > 0 else {
        throw ValidationError("Nothing is set aside\(session.map { " of the session \($0)" } ?? "").")
      }
      Terminal.say("Lifted \(count).")
    }
  }
}
