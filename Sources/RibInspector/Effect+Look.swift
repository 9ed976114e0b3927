import RibCore

/// A look's result: a value, or in words why there is none.
enum Sight<Value: Equatable & Sendable>: Equatable, Sendable {
  case seen(Value)
  case failed(String)
}

extension Effect {
  /// Looks at something, and again each second while the onlooker is there.
  ///
  /// - Parameters:
  ///   - onlooker: the operator.
  ///   - interval: the time between two looks; a second unless given.
  ///   - clock: measures the interval; nil to look once.
  ///   - begin: begins to look.
  ///   - action: makes the action for what was seen.
  /// - Returns: an effect that ends when the look ends; another one with the same riblet takes its place.
  static func look<Value: Equatable & Sendable>(
    for onlooker: Onlooker, every interval: Duration = .seconds(1), clock: (any Clock<Duration>)?,
    _ begin: @escaping @Sendable () -> Look<Value>,
    _ action: @escaping @Sendable (Sight<Value>) -> Source.InternalAction
  ) -> Effect {
    .run(id: "look", cancelInFlight: true, resumable: true) { send in
      let look = begin()
      defer { look.end() }
      while true {
        do {
          await send(action(.seen(try await look.next())))
        } catch let error as CancellationError {
          throw error
        } catch {
          await send(action(.failed("\(error)")))
        }
        guard onlooker.isThere, let clock else { return }
        try await clock.sleep(for: interval)
      }
    }
  }
}
