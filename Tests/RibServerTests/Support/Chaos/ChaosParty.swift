import Synchronization

/// Two clients of the chaos on one session: the first one begins it, the other joins by a token of the first one's.
///
/// A token is good once: if the connection is cut before the guest is welcomed, it asks for another.
final class ChaosParty: Sendable {
  /// Which of the two a client is.
  enum Role { case host, guest }

  private struct State {
    var token: String?
    var isTokenWanted = true
    var isGuestThere = false
    var sent = 0
  }

  private let state = Mutex(State())

  /// Whether the guest waits for a token; true once for each that it wants.
  func takeWish() -> Bool {
    state.withLock { state in
      defer { state.isTokenWanted = false }
      return state.isTokenWanted
    }
  }

  /// The host has not got a token and may not get it any more.
  func renewWish() {
    state.withLock { $0.isTokenWanted = $0.token == nil && !$0.isGuestThere }
  }

  /// The token that the host has got.
  func give(_ token: String) { state.withLock { $0.token = token } }

  /// The token to join with, once.
  func takeToken() -> String? {
    state.withLock { state in
      defer { state.token = nil }
      return state.token
    }
  }

  /// The guest's token may have been used up.
  func wantToken() {
    state.withLock { state in
      state.token = nil
      state.isTokenWanted = true
    }
  }

  /// Whether the guest was ever welcomed.
  var isGuestThere: Bool { state.withLock { $0.isGuestThere } }

  func guestIsThere() { state.withLock { $0.isGuestThere = true } }

  /// How many actions the two have sent.
  var sent: Int { state.withLock { $0.sent } }

  func willSend() { state.withLock { $0.sent += 1 } }
}
