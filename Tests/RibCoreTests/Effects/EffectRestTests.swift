import RibCore
import RibTesting
import Testing

/// Whether a session with a client may rest.
struct EffectRestTests {
  /// Does one thing while it is active.
  private struct Doer: Riblet {
    static let typeName = "Doer"
    enum InternalAction: Sendable { case happened(Int) }
    struct ViewState: Encodable, Equatable {}

    let effect: @Sendable () -> Effect<Doer>

    func makeState() {}
    func didBecomeActive(_ state: inout Void) -> Effect<Self> { effect() }
    func reduce(into state: inout Void, internalAction: InternalAction) -> Effect<Self> { .none }
    func view(_ state: Void) -> ViewState { ViewState() }
  }

  /// The number of bells; nil if the session may not rest.
  private func bells(_ effect: @escaping @Sendable () -> Effect<Doer>) throws -> Int? {
    let tree = try TestSession(Doer(effect: effect)).tree
    guard case .may(let bells) = tree.restWithClients else { return nil }
    #expect(!tree.hasVolatileEffects)
    return bells.count
  }

  @Test func nothingThatRuns_mayRest() throws { #expect(try bells { .none } == 0) }

  @Test func work_keepsItAwake_unlessItMayMissSomething() throws {
    #expect(try bells { .run { _ in } } == nil)
    #expect(try bells { .run(mayMiss: true) { _ in } } == nil)
    #expect(try bells { .run(resumable: true) { _ in } } == nil)
    #expect(try bells { .run(resumable: true, mayMiss: true) { _ in } } == 0)
    #expect(try bells { .run(id: "a", resumable: true) { _ in } } == nil)
    #expect(try bells { .run(id: "a", resumable: true, mayMiss: true) { _ in } } == 0)
  }

  @Test func sequence_keepsItAwake_unlessSomethingMayBeMissed() throws {
    let numbers: @Sendable () -> AsyncStream<Int> = { AsyncStream { _ in } }
    #expect(try bells { .observe(numbers, id: "a") { .happened($0) } } == nil)
    #expect(try bells { .observe(numbers, id: "a", resumable: false, mayMiss: true) { .happened($0) } } == nil)
    #expect(try bells { .observe(numbers, id: "a", mayMiss: true) { .happened($0) } } == 0)
  }

  @Test func topicAndSharedValue_haveABell() throws {
    let (topic, shared) = (Topic<Int>(), SharedValue(0))
    #expect(try bells { .observe(topic, id: "a") { .happened($0) } } == 1)
    #expect(try bells { .observe(shared, id: "a") { .happened($0) } } == 1)
    #expect(try bells { .observe(topic, id: "a", resumable: false) { .happened($0) } } == nil)
    #expect(try bells { .observe(shared, id: "a", resumable: false) { .happened($0) } } == nil)
    let both: @Sendable () -> Effect<Doer> = {
      .merge(.observe(topic, id: "a") { .happened($0) }, .observe(shared, id: "b") { .happened($0) })
    }
    #expect(try bells(both) == 2)
    #expect(try bells { .merge(both(), .run(resumable: true) { _ in }) } == nil)
  }

  @Test func withoutClients_resumableEffectsRest() throws {
    let tree = try TestSession(Doer { .run(resumable: true) { _ in } }).tree
    #expect(!tree.hasVolatileEffects)
  }
}
