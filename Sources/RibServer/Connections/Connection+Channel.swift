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
    switch bye {
    // It has connected again, as clients do.
    case .ended, .taken, .stale: break
    // It has done what it may not, or was put out: whoever runs the server wants to know.
    case _ where bye.comesBack == .not:
      let address = caller.address.map { "\($0)" } ?? "none"
      return log(
        .info, "A client is put out.", ["bye": "\(bye.rawValue)", "reason": "\(message)", "address": "\(address)"])
    default: break
    }
    debug("A connection ends.", ["bye": "\(bye.rawValue)", "reason": "\(message)"])
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
