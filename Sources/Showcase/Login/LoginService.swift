/// What ``Login`` asks.
struct LoginService: Sendable {
  /// The service said no.
  struct Failure: Error, Equatable { let reason: String }

  /// Logs in, at the first attempt, the second, and so on.
  let login: @Sendable (_ attempt: Int) async -> Result<String, Failure>

  /// A service that takes half a second, and is there from the second attempt on.
  static func showcase(clock: any Clock<Duration>) -> LoginService {
    LoginService { attempt in
      // Whoever is cancelled while it waits has nobody to answer.
      try? await clock.sleep(for: .milliseconds(500))
      return attempt == 1 ? .failure(Failure(reason: "The service is not there. Try again.")) : .success("Blob")
    }
  }
}
