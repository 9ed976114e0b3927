import ArgumentParser

/// Shows a session and sends what is typed.
struct Connect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts or joins a session, shows its view, and sends typed actions.",
    discussion: """
      Type an action, such as increment or 'select 2'; before it, #7 or @tabs[0] says for whom. An empty line shows the \
      view again; the end of the input (Ctrl-D) ends the session, or leaves it if it was joined.

      :back leaves what is in front, :check compares the view with the server's, and :share view or :share act prints a \
      token with which one other may join. When the connection ends, ribctl connects again and goes on.
      """)

  @OptionGroup var session: SessionOptions

  func run() throws {
    var conversation = try Conversation(session)
    try conversation.run()
  }
}
