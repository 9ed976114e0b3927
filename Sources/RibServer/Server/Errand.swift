import Logging
import Wire

/// What a loop has taken up last: the watchdog says which message, and which of its fields has the work, if the loop does not
/// come back.
enum Errand: UInt8 {
  /// A job, or an event that is no message.
  case job
  case hello, act, back, ack, resync, check, share, auth, ping, bye
  /// The head of a request: the door looks at its fields.
  case head
  /// The body of a request.
  case body

  /// For a line of the log; nothing of a job.
  var metadata: Logger.Metadata {
    let field: String? =
      switch self {
      case .job, .ack, .resync, .check, .ping, .bye: nil
      case .hello: "params"
      case .act: "a"
      case .back: "to"
      case .share: "scope"
      case .auth: "token"
      case .head, .body: "\(self)"
      }
    switch self {
    case .job: return [:]
    case .head, .body: return ["message": "request", "field": "\(field ?? "")"]
    default: return ["message": "\(self)"].merging(field.map { ["field": "\($0)"] } ?? [:]) { $1 }
    }
  }
}

extension ClientMessage {
  /// The errand that the message is.
  ///
  /// Not an initializer of the errand's, which would take a copy of the message.
  var errand: Errand {
    switch self {
    case .hello: .hello
    case .act: .act
    case .back: .back
    case .ack: .ack
    case .resync: .resync
    case .check: .check
    case .share: .share
    case .auth: .auth
    case .ping: .ping
    case .bye: .bye
    }
  }
}
