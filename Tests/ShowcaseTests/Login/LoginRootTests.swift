import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct LoginRootTests {
  @Test func success_isTheParentsToActOn() {
    let test = TestRiblet(LoginRoot(service: LoginService { _ in .success("Blob") }))
    test.send(.onTapLoginButton, to: Login.self, at: "login")
    test.receive(.login(.notifyLoginSuccess("Blob"))) { state in
      state.user = "Blob"
      state.login.detach()
    }
    test.expectView(.init(user: "Blob"))
    test.send(.logOut) { state in
      state.user = nil
      state.login.attach()
    }
  }

  @Test func requestThatWasCutOff_isMadeAgain() throws {
    let clock = ManualClock()
    let session = try TestSession(LoginRoot(service: .showcase(clock: clock)), effects: .running)
    try session.act("\"onTapLoginButton\"", at: "login")
    let restored = try session.restored(as: LoginRoot(service: .showcase(clock: clock)), effects: .running)
    clock.advance(by: .milliseconds(500))
    #expect(restored.viewState(at: "login")?["error"] != nil)
    #expect(restored.viewState(at: "login")?["isLoading"] == .bool(false))
  }

  @Test func requestWithAPassword_thatWasCutOff_isNotMadeAgain() throws {
    let service = LoginService.showcase(clock: ManualClock())
    let session = try TestSession(LoginRoot(service: service), effects: .running)
    try session.act(#"{"signInTapped":{"name":"Ada","password":"swordfish"}}"#, at: "login")
    let restored = try session.restored(as: LoginRoot(service: service), effects: .running, showsTheSame: false)
    #expect(
      restored.viewState(at: "login")?["error"] == .string("That was interrupted. Enter the password again."))
    #expect(restored.viewState(at: "login")?["isLoading"] == .bool(false))
  }
}
