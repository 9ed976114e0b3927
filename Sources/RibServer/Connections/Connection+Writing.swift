import Wire

extension Connection {
  /// What the messages of a peer that does not read may keep of memory: what was borrowed may be much more, and so may
  /// what has grown, once nothing is added any more.
  private var mostForWaiting: Int {
    channel.isCongested ? output.count + output.count / 4 : 8192 + 2 * output.count
  }

  /// Sends what the socket takes and, when that is all, what waited for it.
  ///
  /// - Returns: false if the connection is gone.
  func send() -> Bool {
    let sent = output.sentCount
    defer { loop.work.stats.note(.sent, times: output.sentCount - sent) }
    while output.hasSendable || sendOwedView() {
      guard output.send(to: descriptor) else { return false }
      guard output.isEmpty else {
        if output.bytes.capacity > mostForWaiting { loop.work.sendStorage.give(output.releaseSpareStorage()) }
        return true
      }
      loop.work.sendStorage.give(output.releaseStorage())
    }
    return true
  }

  /// Sends a slow reader the snapshot and the client list that it is owed, once its output is empty.
  ///
  /// The client pays at once: it may never send a message that would collect the time. It waits as it would before a message.
  ///
  /// - Returns: whether there is output to send.
  private func sendOwedView() -> Bool {
    guard channel.owesAnything, output.isEmpty, case .channel = state else { return false }
    guard turn != .yielding, !pace.isPaused, !holdByDebt() else { return false }
    let start = loop.time()
    guard !(inputIsDue && canGoOn), !shouldYield(at: start) else {
      goOnLater()
      return false
    }
    inputIsDue = true
    charging(since: start) { channel.payDebt() }
    noteMessages(0, bytes: 0)
    return output.hasSendable
  }
}
