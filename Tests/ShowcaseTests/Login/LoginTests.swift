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

  @Test func result_cannotBeSentByAClient() throws {
    let session = try TestSession(LoginRoot(service: .showcase(clock: clock)))
    for action in [#"{"loginResult":{"success":{"_0":"Mallory"}}}"#, #"{"notifyLoginSuccess":"Mallory"}"#] {
      let refusal = #expect(throws: Refusal.self) { try session.act(action, at: "login") }
      #expect(refusal?.code == .badAction)
    }
    #expect(session.viewState()?["user"] == nil)
  }
}
