import Logging
import Wire
import WireHTTP

extension Connection {
  /// Handles what has come before the connection was begun.
  ///
  /// - Parameter received: the bytes.
  func start(with received: ReceiveBuffer) {
    received.withUnread { input.append($0) }
    start()
    if !isClosed { goOn() }
  }

  /// Goes on, on another loop, once the present event is handled.
  ///
  /// - Parameters:
  ///   - target: the loop.
  ///   - body: called there, before anything else that was received is handled.
  func move(to target: EventLoop, _ body: @escaping @Sendable (Connection) -> Void) {
    if case .http(let exchange) = state { state = .moving(exchange) } else { state = .moving(nil) }
    channel.search()
    // The answer would come to the loop that the connection leaves: the authenticator is asked again from the new loop.
    let credential = takeRenewal()
    executeAfterTurn { [self] in
      // It may have been cut meanwhile.
      guard case .moving = state else { return }
      loop.remove(id)
      loop.unwatch(watch) { target.execute { self.arrive(on: target, renewing: credential, body) } }
    }
  }

  /// Cancels the question to the authenticator, if there is one.
  ///
  /// - Returns: the credential that is to be checked again; nil if none was being checked.
  private func takeRenewal() -> String? {
    guard case .asking(let authentication) = door else { return nil }
    cancelAuthentication()
    // A recheck is still due, and is scheduled again on the new loop.
    guard case .credential(let request) = authentication.question else { return nil }
    return request.credential?.secret
  }

  private func arrive(on target: EventLoop, renewing credential: String?, _ body: (Connection) -> Void) {
    loop = target
    guard !loop.isStopping else { return discardSocket() }
    interest = []
    do throws(SystemError) {
      watch = try loop.watch(descriptor, for: interest, self)
    } catch {
      context.logger.error("A connection could not be watched.", metadata: ["error": "\(error)"])
      return discardSocket()
    }
    id = loop.add(self)
    if let signIn = channel.signIn { isConcerned(by: PersonID(signIn.identity)) }
    channel.work = loop.work
    frames.move(to: loop.deflateStreams)
    if case .frames(var writer) = channel.transport {
      writer.move(to: loop.deflateStreams)
      channel.transport = .frames(writer)
    }
    guard case .moving(let exchange) = state, channel.endSearch() else { return abort() }
    state = exchange.map { .http($0) } ?? .channel
    deadline.nextCheck = .max
    schedule(after: timeLimit)
    if pace.isPaused { loop.schedulePause(of: id, nanoseconds: pace.end - min(pace.end, loop.now)) }
    body(self)
    if let credential, channel.isJoined { renew(credential) }
    goOn()
  }

  /// Closes a socket that no poller watches.
  func discardSocket() {
    leaveSession()
    state = .closed
    context.connections.leave(admission, from: counting == .no ? nil : caller.place)
    closeDescriptor(descriptor)
  }
}
