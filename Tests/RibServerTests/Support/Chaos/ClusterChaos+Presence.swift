import Foundation
import RibTestSupport
import Testing

/// Who is there, once the faults are over: at each node the list is that of those who are connected.
extension ClusterChaos {
  /// What has come of the lists, and how long that took.
  struct PresenceResult {
    var faults: [String] = []
    var text = ""
  }

  /// How long a list may be wrong at most, in milliseconds: a node is taken for dead after ten seconds, which others read within one;
  /// then there are two seconds to come back, and three for the rest.
  private static let limit = 16_000

  /// Holds the lists against who is connected, has all guests come back at once, and kills a node for good and starts it again: nobody may
  /// be seen to leave who comes back.
  ///
  /// - Parameter end: when the faults were over, in milliseconds.
  /// - Returns: what is wrong, and figures.
  /// - Throws: ``DaemonError`` if the node does not start.
  func judgePresence(since end: Int) throws -> PresenceResult {
    var result = PresenceResult()
    let (gone, flickers) = room.counts
    do {
      let time = try room.waitUntilAgreed(since: end)
      let early = room.takeTimes()
      room.beginWatch()
      let cut = milliseconds()
      room.cutAll()
      let timeOfReturn = try room.waitUntilAgreed(since: cut)
      // Once nobody shows it any more, whoever did not come back in time would have been seen to leave as well; and all nodes have told who came.
      room.leave()
      _ = try room.waitUntilAgreed(since: cut)
      // The one stays away until it is missed, the other comes back at once.
      let mortal = nodes.shuffled(using: &random)
      let (death, late) = try die(mortal[0], staysAway: true)
      let (restart, afterRestart) = try die(mortal[1], staysAway: false)
      result.text =
        "\(gone) guests left for good, \(flickers) times one was seen to leave who was connected; once the faults were over, lists right after \(time) ms, "
        + "after a death \(death) ms, after a restart \(restart) ms, all guests back after \(timeOfReturn) ms, "
        + "\(room.wrongDepartures.count) times one seen to leave who had not; who left was shown for \(Self.text(early.afterLeaving)), "
        + "who left with a node during the faults for \(Self.text(early.afterDeath)), with one that stayed away for \(Self.text(late)), "
        + "with one that came back for \(Self.text(afterRestart))"
      if gone == 0 || late.isEmpty || afterRestart.isEmpty { result.faults.append("Nobody has left: \(result.text)") }
      if TestRun.judgesTime {
        let times = ["the faults": time, "a death": death, "a restart": restart]
        for (what, time) in times where time > Self.limit {
          result.faults.append("The lists of who is there were wrong for \(time) ms after \(what).")
        }
        result.faults += room.wrongDepartures
      }
    } catch let error as NeverTrue {
      result.faults.append("Who is there is not shown within \(error.seconds) s: \(room.disagreement)")
    }
    result.faults += room.deviations
    return result
  }

  /// Kills a node, and starts it again.
  ///
  /// - Parameters:
  ///   - node: which.
  ///   - staysAway: whether that is when no other node shows any more who was there and has not come back; else it is at once.
  /// - Returns: how long it took until the lists were right, and until each observer of another node did not show any more who had left, in
  ///   milliseconds.
  /// - Throws: ``DaemonError`` if it does not start, ``NeverTrue`` if the lists stay wrong.
  private func die(_ node: ChaosNode, staysAway: Bool) throws -> (Int, [Int]) {
    room.die(node.number, isForLong: staysAway) {
      #expect(node.daemon.stop(SIGKILL) == SIGKILL)
      // Nobody listens there.
      node.setListening(false)
    }
    let death = milliseconds()
    if !staysAway { try start(node) }
    let time = try room.waitUntilAgreed(since: death)
    // At a node that has started again sessions show for some seconds who was there before it died: that is not counted.
    let times = room.takeTimes().afterDeath
    if staysAway {
      try start(node)
      room.nodeIsBack()
      _ = try room.waitUntilAgreed(since: death)
    }
    return (time, times)
  }

  private static func text(_ times: [Int]) -> String {
    let times = times.sorted()
    guard let last = times.last else { return "no time" }
    return "\(times[times.count / 2]) ms (p50), \(last) ms at most"
  }
}
