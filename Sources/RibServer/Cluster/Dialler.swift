import WireHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Opens connections to other nodes, side by side and without blocking.
///
/// | a dial          | meaning                          | ends                                       |
/// |-----------------|----------------------------------|--------------------------------------------|
/// | without a watch | the node's name is looked up     | `failed` if it is not found                |
/// | with one        | the node's machine has to answer | `connected`, `refused` or `failed`         |
/// | … both          |                                  | `failed` after five seconds                |
///
/// `@unchecked Sendable`: all of it is confined to the loop; other threads only hand what they have found to it.
final class Dialler: @unchecked Sendable {
  /// How long a dial may take, in nanoseconds.
  static let patience: UInt64 = 5_000_000_000

  /// The outcome of a dial.
  enum Outcome {
    /// The socket is connected; whoever is told has to close it.
    case connected(Int32)
    /// The machine is there, and nobody listens.
    case refused
    /// There is no answer, or another one.
    case failed
  }

  private final class Dial: PollTarget {
    let node: Int
    let start: UInt64
    let done: (Outcome) -> Void
    weak var dialler: Dialler?
    var descriptor: Int32 = -1
    var watch: Int?

    init(_ node: Int, at start: UInt64, by dialler: Dialler, _ done: @escaping (Outcome) -> Void) {
      (self.node, self.start, self.dialler, self.done) = (node, start, dialler, done)
    }

    func ready(_ readiness: Readiness) { dialler?.answered(self) }
  }

  private let loop: EventLoop
  private let addresses: NodeAddresses
  private let sockets: SocketSource
  private var dials: [Int: Dial] = [:]

  /// A dialler that dials nobody.
  ///
  /// - Parameters:
  ///   - loop: where it is used.
  ///   - addresses: where names are looked up.
  init(on loop: EventLoop, _ addresses: NodeAddresses) {
    (self.loop, self.addresses, sockets) = (loop, addresses, loop.work.environment.sockets)
  }

  /// Dials a node, unless that is being done.
  ///
  /// - Parameters:
  ///   - node: the node.
  ///   - done: called with the outcome; not after ``stop()``.
  func dial(_ node: ClusterNode, _ done: @escaping (Outcome) -> Void) {
    guard dials[node.id] == nil, let authority = Authority(node.address), let port = authority.port else { return }
    dials[node.id] = Dial(node.id, at: loop.now, by: self, done)
    let id = node.id
    addresses.find(authority.host.withoutBrackets) { [self] address in
      loop.execute { [self] in connect(id, address, port) }
    }
  }

  private func connect(_ node: Int, _ address: String?, _ port: Int) {
    // This dial may have ended. A later dial of the same node can use the address, too.
    guard let dial = dials[node], dial.watch == nil else { return }
    guard let address else { return end(dial, .failed) }
    do throws(SystemError) {
      dial.descriptor = try sockets.connect(address, port)
    } catch {
      return end(dial, error.code == ECONNREFUSED ? .refused : .failed)
    }
    do throws(SystemError) {
      dial.watch = try loop.watch(dial.descriptor, for: .writing, dial)
    } catch {
      closeDescriptor(dial.descriptor)
      end(dial, .failed)
    }
  }

  private func answered(_ dial: Dial) {
    guard dials[dial.node] === dial, let watch = dial.watch else { return }
    let code = sockets.failure(dial.descriptor)
    guard code == 0 else { return end(dial, code == ECONNREFUSED ? .refused : .failed) }
    dials[dial.node] = nil
    loop.unwatch(watch) { dial.done(.connected(dial.descriptor)) }
  }

  private func end(_ dial: Dial, _ outcome: Outcome) {
    dials[dial.node] = nil
    if let watch = dial.watch { loop.unwatch(watch) }
    dial.done(outcome)
  }

  /// Gives up dials that have taken too long.
  ///
  /// - Parameter now: the loop's time.
  func check(at now: UInt64) {
    for dial in Array(dials.values) where now - min(now, dial.start) > Self.patience { end(dial, .failed) }
  }

  /// Gives up all dials.
  func stop() {
    for dial in dials.values { if let watch = dial.watch { loop.unwatch(watch) } }
    dials = [:]
  }
}
