/// Wakes a resting session for a ``Topic`` or a ``SharedValue`` that one of its riblets observes.
///
/// When a tree leaves memory, its driver takes the tree's bells (``Tree/restWithClients``), arms them and keeps the
/// tokens. The first ring means that the session would have been told something: the driver restores the session, and
/// its riblets observe again.
package struct Bell: Sendable {
  typealias Ring = @Sendable () -> Void

  private let topic: any AnyObject & Sendable
  private let place: @Sendable (_ ring: @escaping Ring) -> @Sendable () -> Void

  /// A bell of a topic.
  ///
  /// - Parameters:
  ///   - topic: kept alive as long as the bell or one of its tokens.
  ///   - place: registers the ring with the topic, and returns a closure that removes it.
  init(
    of topic: any AnyObject & Sendable, _ place: @escaping @Sendable (_ ring: @escaping Ring) -> @Sendable () -> Void
  ) {
    self.topic = topic
    self.place = place
  }

  /// Calls `ring` at the first publication that the session's reducers have not processed.
  ///
  /// No publication is missed: one that came after the last value handed to a reducer, and before the bell was armed,
  /// rings within this call.
  ///
  /// - Parameter ring: called at most once, on the thread that publishes, with the topic unlocked. The publisher waits
  ///   for the call, so it should only schedule the session's wake. It must not hold the token.
  /// - Returns: a token that keeps the bell armed.
  package func arm(_ ring: @escaping @Sendable () -> Void) -> BellToken { BellToken(of: topic, place(ring)) }
}

/// Keeps a ``Bell`` armed; releasing the token disarms the bell.
///
/// The token keeps the topic alive: an app that drops topics without a holder does not drop one for which a session
/// waits.
package final class BellToken: Sendable {
  private let topic: any AnyObject & Sendable
  private let disarm: @Sendable () -> Void

  fileprivate init(of topic: any AnyObject & Sendable, _ disarm: @escaping @Sendable () -> Void) {
    self.topic = topic
    self.disarm = disarm
  }

  deinit { disarm() }

  /// Disarms the bell; does nothing if it has rung.
  ///
  /// A ring that is already on its way on another thread may still arrive.
  package func cancel() { disarm() }
}
