import Synchronization
import WireHTTP

/// Resolves the host names of nodes without blocking a caller's queue.
///
/// The system's resolver may take seconds, so each name has its own queue. Those who ask for a name at the same time share one look-up.
final class NodeAddresses: Sendable {
  /// How long an address is used without another look-up, in nanoseconds.
  static let freshness: UInt64 = 5_000_000_000
  /// How long it is used while that look-up is under way, in nanoseconds.
  static let life: UInt64 = 60_000_000_000

  private struct Name {
    let queue: any JobQueue
    var known: (address: String, since: UInt64)?
    /// Whether a look-up is under way, and who waits for it.
    var isSought = false
    var waiting: [@Sendable (String?) -> Void] = []

    func address(at now: UInt64, within age: UInt64) -> String? {
      known.flatMap { now - min($0.since, now) < age ? $0.address : nil }
    }
  }

  private let environment: Environment
  private let names = Mutex<[String: Name]>([:])  // safe text: own

  /// Knows no address.
  ///
  /// - Parameter environment: what tells the time, makes the queues, and looks names up.
  init(_ environment: Environment) { self.environment = environment }

  /// Finds an address.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - host: a name, or an address, which is its own.
  ///   - done: called at once if the address is known, and otherwise on another thread; with nil if there is none.
  func find(_ host: String, _ done: @escaping @Sendable (String?) -> Void) {
    guard IPAddress(text: host) == nil else { return done(host) }
    let now = environment.time.monotonic()
    let (address, queue) = names.withLock { names -> (String?, (any JobQueue)?) in
      var name = names[host] ?? Name(queue: environment.makeQueue("ribserver.names", .normal))
      if names[host] == nil { names = names.filter { $1.isSought || $1.address(at: now, within: Self.life) != nil } }
      defer { names[host] = name }
      let address = name.address(at: now, within: Self.life)
      if address == nil { name.waiting.append(done) }
      guard !name.isSought, name.address(at: now, within: Self.freshness) == nil else { return (address, nil) }
      name.isSought = true
      return (address, name.queue)
    }
    queue?.add { [self] in lookUp(host) }
    if let address { done(address) }
  }

  private func lookUp(_ host: String) {
    let address = try? environment.sockets.find(host)
    let now = environment.time.monotonic()
    let waiting = names.withLock { names -> [@Sendable (String?) -> Void] in
      guard var name = names[host] else { return [] }
      defer { names[host] = name }
      if let address { name.known = (address, now) }
      name.isSought = false
      defer { name.waiting = [] }
      return name.waiting
    }
    for done in waiting { done(address) }
  }
}
