/// What wakes a session that rests while one of its riblets observes a ``Topic`` or a ``SharedValue``.
///
/// A driver takes the bells of a tree (``Tree/restWithClients``) when the tree leaves memory, arms them, and keeps the
/// tokens. The first ring says that the session would have been told something: restore it, and its riblets observe again.
package struct Bell: Sendable {
  typealias Ring = @Sendable () -> Void

  private let topic: any AnyObject & Sendable
  private let place: @Sendable (_ ring: @escaping Ring) -> @Sendable () -> Void

  /// A bell of a topic.
  ///
  /// - Parameters:
  ///   - topic: kept as long as the bell, or one of its tokens.
  ///   - place: places the ring, and says how it is taken away.
  init(
    of topic: any AnyObject & Sendable, _ place: @escaping @Sendable (_ ring: @escaping Ring) -> @Sendable () -> Void
  ) {
    self.topic = topic
    self.place = place
  }

  /// Has something called at the first publication that the session's reducers have not processed.
  ///
  /// Nothing is missed, whenever it is published: what came after the last value that a reducer was handed, and before the
  /// bell is armed, rings at once, within this call.
  ///
  /// - Parameter ring: called at most once, on the thread that publishes, after the topic is unlocked. The publisher waits for
  ///   it, so it should only note that the session is to be woken. It must not hold the token.
  /// - Returns: what keeps the bell armed.
  package func arm(_ ring: @escaping @Sendable () -> Void) -> BellToken { BellToken(of: topic, place(ring)) }
}

/// Keeps a ``Bell`` armed; a token that is let go of disarms it.
///
/// The bell keeps its topic alive: an app that drops topics without a holder does not drop one for which a session waits.
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
