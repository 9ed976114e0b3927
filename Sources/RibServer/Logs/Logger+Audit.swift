package import Logging

extension Logger {
  /// Says what somebody who operates the server has done: at the level `notice`, with `audit=true`.
  ///
  /// - Parameters:
  ///   - message: the deed, in a sentence.
  ///   - metadata: who has done it, and to what.
  package func audit(_ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
    notice(message, metadata: metadata.merging(["audit": "true"]) { $1 })
  }
}
