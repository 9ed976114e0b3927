import Logging
import Wire
import WireHTTP

// What the client's channel asks of its connection.

extension Connection: ChannelPort {
  var hasUnreadInput: Bool { !input.isEmpty }

  var relayingNode: Int? { if case .incoming(let client)? = passage { client.node } else { nil } }

  func flushLater() { loop.willFlush(self) }

  func willSay(_ bye: Bye, _ message: String) {
    note(.bye(bye))
    // A client that is not to come back has done what it may not, or was put out: who runs the server wants to know.
    let level: Logger.Level = bye.comesBack == .not && bye != .ended ? .info : .debug
    var metadata: Logger.Metadata = ["bye": "\(bye.rawValue)", "reason": "\(message)"]
    if level == .info, let address = caller.address { metadata["address"] = "\(address)" }
    log(level, "A connection ends.", metadata)
  }

  func channelEnded(comesBack: Bye.Return) { finish(comesBack: comesBack) }

  func didFallAsleep(_ sleeper: Sleeper) {
    let sessions = context.sessions
    sessions.add(sleeper) { [weak self, loop] call in
      let connection = self
      loop.execute {
        if let connection {
          connection.call(call, sleeper)
        } else if case .wake = call {
          sessions.didNotWake(sleeper.sessionID)
        }
      }
    }
  }
}
