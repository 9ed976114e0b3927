import RibCore

/// The parent of a ``Worker``.
struct WorkerOwner: Riblet {
  static let typeName = "WorkerOwner"
  struct State {
    var heard = ""
    var child = Slot(0)
  }
  enum InternalAction: Sendable { case child(Worker.Output) }

  var routes: [Route<Self>] { [Route("child", \.child) { _ in Child(Worker()) { .child($0) } }] }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .child(.worked): state.heard = "worked"
    case .child(.quit): state.child.detach()
    }
    return .none
  }

  func view(_ state: State) -> String { state.heard }
}

/// Returns the effects that it is told.
struct Worker: Riblet {
  static let typeName = "Worker"

  enum Order: Decodable, Sendable {
    case run(String)
    case runUnnamed
    case restart(String)
    case cancel(String)
    /// Cancels by way of an internal action.
    case sendCancel(String)
    /// Has the parent detach this.
    case quit
    /// Starts an effect that counts and throws.
    case breakDown
    case count
  }

  struct Breakdown: Error {}

  enum ViewAction: Decodable {
    case merge([Order])
    /// Counts, tells the parent, and counts again.
    case work([Order])
  }

  enum InternalAction: Sendable { case order(Order) }
  enum Output: Sendable { case worked, quit }
  struct ViewState: Encodable, Equatable { let count: Int }

  func makeState() -> Int { 0 }

  func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .merge(let orders): return .merge(orders.map { carryOut($0, &count) })
    case .work(let orders):
      return .run { send in
        for order in orders { await send(.order(order)) }
        await send.output(.worked)
        for order in orders { await send(.order(order)) }
      }
    }
  }

  func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .order(let order): carryOut(order, &count)
    }
  }

  private func carryOut(_ order: Order, _ count: inout Int) -> Effect<Self> {
    switch order {
    case .run(let id): return .run(id: id) { _ in }
    case .runUnnamed: return .run { _ in }
    case .restart(let id): return .run(id: id, cancelInFlight: true) { _ in }
    case .cancel(let id): return .cancel(id: id)
    case .sendCancel(let id): return .send(.order(.cancel(id)))
    case .quit: return .output(.quit)
    case .breakDown:
      return .run { send in
        await send(.order(.count))
        throw Breakdown()
      }
    case .count:
      count += 1
      return .none
    }
  }

  func view(_ count: Int) -> ViewState { ViewState(count: count) }
}
