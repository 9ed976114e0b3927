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
    while output.hasSendable {
      guard output.send(to: descriptor) else { return false }
      guard output.isEmpty else {
        if output.bytes.capacity > mostForWaiting { loop.work.sendStorage.give(output.releaseSpareStorage()) }
        return true
      }
      loop.work.sendStorage.give(output.releaseStorage())
      didSendAll()
    }
    return true
  }

  private func didSendAll() {
    switch state {
    case .closing: endSending()
    case .halfClosed: abort()
    case .channel: channel.payDebt()
    case .http, .moving, .relayed, .echo, .closed: break
    }
  }
}
