import Logging

/// A log on the standard error, from warnings on: a line may have the text of a stranger.
struct TerminalLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    let words = ["\(event.level):", "\(event.message)"] + all.map { "\($0.key)=\($0.value)" }
    Terminal.complain(words.joined(separator: " "))
  }
}
