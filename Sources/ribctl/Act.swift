import ArgumentParser
import CurlTransport
import RibClient
import Wire

/// Sends actions and shows what became of the view: for scripts.
struct Act: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts or joins a session, sends actions, prints the view as JSON, ends the session or leaves it.",
    discussion: """
      An action is a case and maybe its payload as JSON, such as increment or 'select 2'; before it, #7 or @tabs[0] says \
      for whom. Ends with 1 if an action was refused.
      """)

  @OptionGroup var session: SessionOptions
  @Argument(help: "Actions, in order.")
  var actions: [String]

  func run() throws {
    let lines = try actions.map(ActionLine.init)
    let client = try session.makeClient()
    for line in lines { try client.act(line.action, to: line.address ?? .path("")) }
    var isRefused = false
    for case .refused(let outstanding, let nack) in try client.settle() {
      isRefused = true
      Terminal.complain("refused: \(outstanding.action.text): \(nack.message) (\(nack.code.rawValue))")
    }
    Terminal.say(client.session.view?.text ?? "null")
    try client.end()
    if isRefused { throw ExitCode(1) }
  }
}
