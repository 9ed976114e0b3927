import RibCore
import RibTesting
import Testing
import Wire

/// A secret that is shown or saved fails a test.
extension TestSessionTests {
  /// Keeps what is typed, where the test says.
  private struct Keeper: Riblet {
    static let typeName = "Keeper"
    struct State: Codable, Equatable {
      var shown: Secret<String>?
      var saved: [Secret<String>] = []
      @Transient var kept: Secret<String>?
    }
    struct ViewState: Encodable, Equatable { let form: [String: Secret<String>] }
    enum ViewAction: Decodable { case show(Secret<String>), save(Secret<String>), keep(Secret<String>), forget }

    func makeState() -> State { State() }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .show(let secret): state.shown = secret
      case .save(let secret): state.saved.append(secret)
      case .keep(let secret): state.kept = secret
      case .forget: state = State()
      }
      return .none
    }

    func view(_ state: State) -> ViewState { ViewState(form: state.shown.map { ["password": $0] } ?? [:]) }
  }

  @Test func secretInAView_isSaidOnce_withItsPlace() throws {
    let texts = try failures {
      let session = try TestSession(Keeper())
      for _ in 1...2 { try session.act(#"{"show":"swordfish"}"#) }
    }
    #expect(texts.count == 1)
    let start = "The view state of Keeper 1 (the root) has a Secret<String> at form.password. Clients would see null."
    #expect(texts.first?.hasPrefix(start) == true, "\(texts)")
  }

  @Test func secretInAState_isSaidWithItsPlace() throws {
    let texts = try failures {
      let session = try TestSession(Keeper())
      try session.act(#"{"save":"swordfish"}"#)
    }
    #expect(texts.count == 1)
    let start = "The state of Keeper 1 (the root) has a Secret<String> at saved.0, which a store would keep as null"
    #expect(texts.first?.hasPrefix(start) == true, "\(texts)")
    #expect(texts.first?.contains("swordfish") == false)
  }

  @Test func secretInAState_isSaidAlsoIfStatesAreNotChecked() throws {
    let texts = try failures {
      let session = try TestSession(Keeper())
      session.checksStates = false
      try session.act(#"{"save":"swordfish"}"#)
    }
    #expect(texts.count == 1)
  }

  @Test func secretInATransientProperty_isNoFailure() throws {
    let session = try TestSession(Keeper())
    try session.act(#"{"keep":"swordfish"}"#)
    try session.act(#""forget""#)
  }

  @Test func secretInAState_failsATestOfTheRiblet() {
    let texts = failures {
      let test = TestRiblet(Keeper())
      test.send(.save(Secret("swordfish"))) { $0.saved = [Secret("swordfish")] }
    }
    #expect(texts.count == 1)
    #expect(
      texts.first?.hasPrefix("The state of Keeper 1 (the root) has a Secret<String> at saved.0") == true, "\(texts)")
  }

  @Test func state_thatIsNeverSaved_mayHoldASecret() throws {
    struct Fleeting: Riblet {
      static let typeName = "Fleeting"
      struct State { var secret = Secret("swordfish") }
      func makeState() -> State { State() }
      func view(_ state: State) -> Bool { state.secret.reveal() != nil }
    }
    #expect(try TestSession(Fleeting()).viewState() == .bool(true))
  }
}
