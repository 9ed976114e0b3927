/// What ``Login`` asks.
struct LoginService: Sendable {
  /// The service said no.
  struct Failure: Error, Equatable { let reason: String }

  /// Logs in, at the first attempt, the second, and so on.
  let login: @Sendable (_ attempt: Int) async -> Result<String, Failure>
  /// Logs in with a name and a password; refuses everybody unless given.
  var signIn: @Sendable (_ name: String, _ password: String) async -> Result<String, Failure> = { _, _ in
    .failure(Failure(reason: "Name or password is wrong."))
  }

  /// A service that takes half a second, and fails at the first attempt without a password; every user's password is `swordfish`.
  static func showcase(clock: any Clock<Duration>) -> LoginService {
    // Cancellation is ignored: the answer of a cancelled effect is dropped anyway.
    LoginService { attempt in
      try? await clock.sleep(for: .milliseconds(500))
      return attempt == 1 ? .failure(Failure(reason: "The service is not there. Try again.")) : .success("Blob")
    } signIn: { name, password in
      try? await clock.sleep(for: .milliseconds(500))
      return password == "swordfish" ? .success(name) : .failure(Failure(reason: "Name or password is wrong."))
    }
  }
}
