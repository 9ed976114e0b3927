extension Connection {
  /// Counts an action; a client that has used them up is not read from for a while.
  ///
  /// Nothing is refused or lost.
  func noteAction() { pause(pace.noteAction(at: loop.now)) }

  /// Counts frames or messages, and bytes of them.
  func noteMessages(_ count: Int, bytes: Int) {
    // Echoed bytes are slowed down by the peer that sends them, and by the write queue.
    if case .echo = state { return }
    pause(pace.noteMessages(count, bytes: bytes, at: loop.now))
  }

  private func pause(_ nanoseconds: UInt64) {
    guard nanoseconds > 0, pace.pause(for: nanoseconds, at: loop.now) else { return }
    loop.schedulePause(of: id, nanoseconds: pace.end - loop.now)
  }

  /// Reads on, unless the pause has become longer since it began.
  func endPause() {
    guard loop.now >= pace.end else { return loop.schedulePause(of: id, nanoseconds: pace.end - loop.now) }
    pace.goOn()
    // What it said meanwhile was not read.
    noteLife()
    goOn()
  }
}
