import Crypto
import Wire

/// What a session keeps of one renderer, so that each of its actions counts once and each refusal is heard.
struct ClientLedger {
  /// What becomes of an action that has come.
  enum Turn {
    /// It is the next one: it is to be run.
    case next
    /// It was run before: it is answered again.
    case done
    /// One before it is missing.
    case gap
  }

  /// The most refusals that a client may leave unacknowledged.
  static let nackLimit = 4096

  /// The renderer, counted from 1.
  let id: Int
  private let tokenHash: SHA256.Digest
  /// The `try` of the last `hello` that was accepted.
  private var attempt = 0
  /// The last action that was run or refused.
  private(set) var number = 0
  /// Refusals that the client has not acknowledged, in order.
  private(set) var nacks: [Nack] = []

  /// What is kept of a new renderer.
  ///
  /// - Parameters:
  ///   - id: the renderer, counted from 1.
  ///   - token: what it will prove itself with; only its hash is kept.
  init(id: Int, token: String) {
    self.id = id
    tokenHash = Self.hash(token)
  }

  private static func hash(_ token: String) -> SHA256.Digest {
    var hash = SHA256()
    var token = token
    token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    return hash.finalize()
  }

  /// Counts an action, if it is the next one.
  ///
  /// - Parameter number: the action's.
  /// - Returns: what is to be done with it.
  mutating func take(_ number: Int) -> Turn {
    guard number == self.number + 1 else { return number <= self.number ? .done : .gap }
    self.number = number
    return .next
  }

  /// Keeps a refusal until it is acknowledged.
  ///
  /// - Parameter nack: of the action that was taken last.
  /// - Returns: whether there is room for it; it is kept nevertheless.
  mutating func refuse(_ nack: Nack) -> Bool {
    nacks.append(nack)
    return nacks.count <= Self.nackLimit
  }

  /// Forgets the refusals that the client has heard of.
  ///
  /// - Parameter number: the highest action that it was told of.
  mutating func acknowledge(_ number: Int) {
    if nacks.isEmpty { return }
    nacks.removeAll { $0.number <= number }
  }

  /// Lets a client that comes back have its place again.
  ///
  /// - Parameter resume: what it says.
  /// - Returns: why not; nothing is changed then. Nil if it is let in.
  mutating func admit(_ resume: ClientMessage.Resume) -> Bye? {
    guard resume.clientID == id, Self.hash(resume.token) == tokenHash else { return .denied }
    guard resume.attempt > attempt else { return .stale }
    attempt = resume.attempt
    return nil
  }

  /// A refusal's reason, cut where it repeats more of what the client has sent than a developer reads: it is kept until the
  /// client has heard it.
  ///
  /// - Parameter reason: of any length.
  /// - Returns: at most 514 bytes of UTF-8.
  static func brief(_ reason: String) -> String {
    let limit = 512
    if reason.utf8.count <= limit { return reason }
    var brief = ""
    for character in reason {
      guard brief.utf8.count + character.utf8.count < limit else { break }
      brief.append(character)
    }
    return brief + "…"
  }
}
