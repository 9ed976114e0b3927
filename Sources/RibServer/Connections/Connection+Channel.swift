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
    let isPutOut =
      switch bye {
      // The client has connected again, as clients do.
      case .ended, .taken, .stale: false
      // The client has done what it may not, or was put out: whoever runs the server wants to know.
      default: bye.comesBack == .not || bye.comesBack == .whenAsked
      }
    log(
      isPutOut ? .info : .debug, isPutOut ? "A client is put out." : "A connection ends.",
      [
        "bye": "\(bye.rawValue)", "code": "\(bye.closeCode.rawValue)", "reason": "\(message.forLog)",
        "address": "\(caller.address.map { "\($0)" } ?? "none")",
      ])
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
