/// Asks again and again until something is true, for what no event tells: what another process has got.
///
/// - Returns: false if it is still not true after five minutes, or when the test is cancelled.
func eventually(_ isTrue: () async throws -> Bool) async rethrows -> Bool {
  let end = ContinuousClock.now + .seconds(300)
  while try await !isTrue() {
    guard ContinuousClock.now < end, (try? await Task.sleep(for: .milliseconds(2))) != nil else { return false }
  }
  return true
}
