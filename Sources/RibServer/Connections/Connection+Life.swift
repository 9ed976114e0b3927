import Wire

extension Connection {
  /// Pings a peer that was silent for the heartbeat, and gives up one that does not answer.
  func checkLife() {
    let isPinged = pingedAt > since
    let silence = Int((loop.now - (isPinged ? pingedAt : since)) / 1_000_000_000)
    let timeouts = context.settings.timeouts
    let limit = isPinged ? ServerSettings.Timeouts.graceSeconds : timeouts.heartbeatSeconds
    guard silence >= limit else { return schedule(after: limit - silence) }
    // A reducer may have kept the loop from what has come in the meantime.
    if interest.contains(.reading), hasUnreadBytes(descriptor) {
      noteLife()
      return schedule(after: limit)
    }
    if isPinged { giveUp() } else { ping() }
    flush()
  }

  private func ping() {
    pingedAt = loop.now
    // Behind what a peer does not take it would not be heard.
    let nothing: [UInt8] = []
    if output.isEmpty { writer.ping(nothing.span, into: &output.bytes) }
    schedule(after: ServerSettings.Timeouts.graceSeconds)
  }

  private func giveUp() {
    let seconds = context.settings.timeouts.heartbeatSeconds + ServerSettings.Timeouts.graceSeconds
    let reason = "Nothing was heard for \(seconds) seconds."
    if case .live = state { say(.silent, reason) } else { close(Bye.silent.closeCode, reason) }
  }
}
