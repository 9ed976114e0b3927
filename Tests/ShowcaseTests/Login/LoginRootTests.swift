import RibCore
import RibTesting
import Testing

@testable import Showcase

struct LoginRootTests {
  @Test func success_isTheParentsToActOn() {
    let test = TestRiblet(LoginRoot(service: LoginService { _ in .success("Blob") }))
    test.send(.onTapLoginButton, to: Login.self, at: "login")
    test.receiveOutput(Login.Output.notifyLoginSuccess("Blob")) { state in
      state.user = "Blob"
      state.login.detach()
    }
    test.expectView(.init(user: "Blob"))
    test.send(.logOut) { state in
      state.user = nil
      state.login.attach()
    }
  }
}
