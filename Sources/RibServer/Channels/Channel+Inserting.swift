import Wire
import WireHTTP

/// Messages and frames that go before the output that waits for a commit.
extension Channel {
  /// Puts the message in the workspace before the held ones, unless those begin with a `welcome`, which says the same.
  func insertNotice() { if greeting == nil { insertBeforeHeld() } }

  /// Puts the message in the workspace before the held ones.
  func insertBeforeHeld() {
    let message = work.json.bytes
    writeBeforeHeld { bytes in
      switch transport {
      // Plain, as what was compressed after it may refer to what was compressed before it.
      case .frames: FrameWriter.server.text(message.span, into: &bytes)
      case .events: bytes += Array("data: ".utf8) + message + Array("\n\n".utf8)
      }
    }
    flushLater()
  }

  /// Asks the client whether it is there, or tells one that cannot answer that the server is: a commit that takes long is no silence.
  func insertSignOfLife() {
    writeBeforeHeld { bytes in
      switch transport {
      case .frames(let writer): writer.ping([UInt8]().span, into: &bytes)
      case .events: bytes.append(contentsOf: ":\n\n".utf8)
      }
    }
  }

  /// Answers a ping of WebSocket itself, also while a commit takes long.
  func answerPing(_ data: Span<UInt8>) {
    guard case .frames(let writer) = transport else { return }
    writeBeforeHeld { writer.pong(data, into: &$0) }
  }

  /// Has bytes written before the held ones.
  private func writeBeforeHeld(_ write: (inout [UInt8]) -> Void) {
    guard output.isHolding else { return write(&output.bytes) }
    var bytes: [UInt8] = []
    write(&bytes)
    output.insertBeforeHeld(bytes)
    greeting?.end += bytes.count
  }
}
