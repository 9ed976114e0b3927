import RibClient
import Wire

/// What a client of the chaos does because of the person behind it.
extension ChaosClient {
  /// Shows a credential before its identity is over.
  func renew(_ person: ChaosPerson, _ now: Int) {
    self.person?.willRenew()
    let credential = person.credential()
    say(now) { (session) throws(ClientError) in try session.auth(credential) }
  }

  /// Takes note of an answer to an action, and of what is wrong with it.
  func answered(_ number: Int, _ wrong: String?) {
    for wrong in [wrong, person?.fault(ofAnswerTo: number)].compactMap(\.self) { deviate(wrong) }
  }

  /// Whoever was signed out tries a few times to come back.
  func leaveForGood(_ now: Int) {
    note("has to leave")
    hasLeft = person?.wasRefused() == true
    isSettled = hasLeft
    away(.atOnce, now)
  }
}
