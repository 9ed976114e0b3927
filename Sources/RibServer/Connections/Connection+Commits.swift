import Wire

extension Connection {
  /// Takes note that what is held so far waits for the commit that begins.
  func noteCut() {
    output.noteCut()
    waitingActions.noteCut()
  }

  /// Sends what has waited for a commit.
  ///
  /// - Parameter all: whether nothing has to wait for the next one.
  func release(all: Bool) {
    output.release(all: all)
    if let greeting, output.releasedCount >= greeting.end { self.greeting = nil }
    waitingActions.release(all: all)
    flush()
  }

  /// Forgets what waits for a commit.
  func discardHeld() {
    output.discardHeld()
    writer.forgetContext()
    greeting = nil
  }

  /// Puts the message in the loop's writer before what is held.
  func insertMessage() {
    var bytes: [UInt8] = []
    // Plain, as what was compressed after it may refer to what was compressed before it.
    let message = loop.json.bytes
    if isEventStream {
      bytes = Array("data: ".utf8) + message + Array("\n\n".utf8)
    } else {
      FrameWriter.server.text(message.span, into: &bytes)
    }
    output.insertBeforeHeld(bytes)
  }
}
