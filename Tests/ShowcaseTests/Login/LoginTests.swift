import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct LoginTests {
  private let clock = ManualClock()

  @Test func failure_showsAnError_andCanBeRetried() {
    let test = TestRiblet(Login(service: .showcase(clock: clock)))
    test.send(.onTapLoginButton) { state in
      state.attempts = 1
      state.isLoading = true
    }
    test.expectView(.init(isLoading: true, error: nil))
    clock.advance(by: .milliseconds(500))
    test.receive(where: { if case .loginResult(.failure) = $0 { true } else { false } }) { state in
      state.isLoading = false
      state.error = "The service is not there. Try again."
    }
    test.expectView(.init(isLoading: false, error: "The service is not there. Try again."))
    test.send(.onTapLoginButton) { state in
      state.attempts = 2
      state.isLoading = true
      state.error = nil
    }
    clock.advance(by: .milliseconds(500))
    test.receive(where: { if case .loginResult(.success("Blob")) = $0 { true } else { false } }) {
      $0.isLoading = false
    }
    test.expectOutput(.notifyLoginSuccess("Blob"))
  }

  @Test func secondTap_duringARequest_isNothing() {
    let test = TestRiblet(Login(service: LoginService { .success("\($0)") }), exhaustivity: .off)
    test.send(.onTapLoginButton)
    test.expectOutput(.notifyLoginSuccess("1"))
    let waiting = TestRiblet(Login(service: .showcase(clock: clock)))
    waiting.send(.onTapLoginButton) { state in
      state.attempts = 1
      state.isLoading = true
    }
    waiting.send(.onTapLoginButton)
    waiting.skipEffectsInFlight()
  }

  // MARK: Passwords

  @Test func password_goesToTheService_andNowhereElse() {
    let test = TestRiblet(Login(service: .showcase(clock: clock)))
    test.send(.signInTapped(name: "Ada", password: Secret("tuna"))) { $0.isLoading = true }
    clock.advance(by: .milliseconds(500))
    test.receive(where: { if case .loginResult(.failure) = $0 { true } else { false } }) { state in
      state.isLoading = false
      state.error = "Name or password is wrong."
    }
    test.send(.signInTapped(name: "Ada", password: Secret("swordfish"))) { state in
      state.isLoading = true
      state.error = nil
    }
    clock.advance(by: .milliseconds(500))
    test.receive(where: { if case .loginResult(.success("Ada")) = $0 { true } else { false } }) {
      $0.isLoading = false
    }
    test.expectOutput(.notifyLoginSuccess("Ada"))
  }

  @Test func password_isAPlainTextOnTheWire() throws {
    let session = try TestSession(LoginRoot(service: .showcase(clock: clock)), effects: .running)
    try session.act(#"{"signInTapped":{"name":"Ada","password":"swordfish"}}"#, at: "login")
    clock.advance(by: .milliseconds(500))
    #expect(session.viewState()?["user"] == .string("Ada"))
  }

  @Test func passwordThatIsMissing_isWrong() {
    let test = TestRiblet(Login(service: LoginService { _ in .success("") }), exhaustivity: .off)
    test.send(.signInTapped(name: "Ada", password: Secret()))
    test.receive(where: { if case .loginResult(.failure) = $0 { true } else { false } }) {
      $0.error = "Name or password is wrong."
    }
  }

  @Test func result_cannotBeSentByAClient() throws {
    let session = try TestSession(LoginRoot(service: .showcase(clock: clock)))
    for action in [#"{"loginResult":{"success":{"_0":"Mallory"}}}"#, #"{"notifyLoginSuccess":"Mallory"}"#] {
      let refusal = #expect(throws: Refusal.self) { try session.act(action, at: "login") }
      #expect(refusal?.code == .badAction)
    }
    #expect(session.viewState()?["user"] == nil)
  }
}
