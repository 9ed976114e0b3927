/// The socket that other nodes dial.
///
/// `@unchecked Sendable`: what is not constant is touched on the links' loop only: by the poller, and by the jobs of ``start(_:)`` and
/// ``stop()``, which its owner calls there.
final class LinkListener: PollTarget, @unchecked Sendable {
  private let socket: ListeningSocket
  private let loop: EventLoop
  private let sockets: SocketSource
  private var watch: Int?
  private var accepted: ((Int32) -> Void)?

  init(_ socket: ListeningSocket, on loop: EventLoop, _ sockets: SocketSource) {
    (self.socket, self.loop, self.sockets) = (socket, loop, sockets)
  }

  func start(_ accepted: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    do throws(SystemError) {
      try loop.executeAndWait { [self] () throws(SystemError) in
        self.accepted = accepted
        watch = try loop.watch(socket.descriptor, for: .reading, self)
      }
    } catch {
      closeDescriptor(socket.descriptor)
      throw error
    }
  }

  func stop() {
    if let watch { loop.unwatch(watch) }
    watch = nil
  }

  func ready(_ readiness: Readiness) {
    // More wait until the loop comes back: there are few nodes.
    let descriptor = sockets.accept(socket.descriptor)
    if descriptor >= 0 { return accepted?(descriptor) ?? closeDescriptor(descriptor) }
    // Out of descriptors, perhaps: to try again at once would only burn the processor.
    guard !wouldBlock, let watch else { return }
    loop.change(watch, to: [])
    loop.execute(after: .milliseconds(100)) { [weak self] in
      if let self, let watch = self.watch { loop.change(watch, to: .reading) }
    }
  }
}
