import Testing
import Wire

@testable import RibServer

@Suite struct ChannelTests {
  /// The client has said something at the moment at which its session was found to be elsewhere: nobody looks for the session then.
  @Test(arguments: [(SleeperCall.moved, "moved"), (.overtaken, "taken")])
  func clientThatWakesItsSessionTooLate_isTold(call: SleeperCall, bye: String) throws {
    let work = Workspace(messageLimit: 1000, writeQueueLimit: 100_000)
    let channel = Channel(work)
    let sleeper = Sleeper(
      sessionID: "s", client: 1, attempt: 1, epoch: "e", revision: 1, lease: SessionLease(row: 1, number: 1))
    channel.fallAsleep(sleeper)
    let message = Array(#"{"t":"act","n":1,"to":"","a":"x"}"#.utf8)
    let (step, _) = channel.receive(try work.reader.read(message.span).root)
    guard case .wake(let woken) = step, woken === sleeper else {
      Issue.record("\(step)")
      return
    }
    guard case .none = channel.receive(call, for: sleeper) else {
      Issue.record("there is more to do")
      return
    }
    #expect(String(decoding: channel.output.bytes, as: UTF8.self).contains("\"\(bye)\""))
  }
}
