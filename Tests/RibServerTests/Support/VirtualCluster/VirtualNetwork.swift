@testable import RibServer
@testable import Simulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is between nodes in virtual time: pairs of real sockets.
final class VirtualNetwork {
  /// A socket.
  struct End {
    /// The one at the other end.
    let other: Int32
    /// Who watches it, once somebody does.
    weak var poller: VirtualPoller?
  }

  /// The sockets, by their descriptors.
  var ends: [Int32: End] = [:]
  /// How often something was received, and how many bytes.
  private(set) var received = (times: 0, bytes: 0)
  /// What was dialled where nobody answers.
  private var unanswered: [Int32] = []
  private var random: SimulationRandom

  /// A network without sockets.
  ///
  /// - Parameter seed: what its latencies follow from.
  init(seed: UInt64) { random = SimulationRandom(seed: seed, stream: 0) }

  /// How long something is on its way: up to a millisecond.
  func latency() -> UInt64 { .random(in: 100_000...1_000_000, using: &random) }

  /// Connects to a listener.
  ///
  /// - Parameter listener: where; nil for a machine that does not answer.
  /// - Returns: the descriptor of the end that has dialled.
  /// - Throws: ``SystemError`` if there are no more descriptors.
  func connect(to listener: SimulatedListener?) throws(SystemError) -> Int32 {
    let (one, other) = try SocketPair.make()
    ends[one] = End(other: other)
    ends[other] = End(other: one)
    if let listener { listener.enqueue(other) } else { unanswered.append(other) }
    return one
  }

  /// Takes note that a socket is to be closed: the other end hears of it.
  func willClose(_ descriptor: Int32) {
    guard let end = ends.removeValue(forKey: descriptor) else { return }
    ends[end.other]?.poller?.lookSoon()
  }

  /// Closes what no node does.
  func close() {
    for descriptor in unanswered { closeDescriptor(descriptor) }
    unanswered = []
  }

  /// Takes note that something is received.
  ///
  /// - Returns: whether the descriptor is a connection's.
  func count(_ descriptor: Int32) -> Bool {
    guard ends[descriptor] != nil else { return false }
    var bytes: Int32 = 0
    guard ioctl(descriptor, UInt(FIONREAD), &bytes) == 0, bytes > 0 else { return true }
    received = (received.times + 1, received.bytes + Int(bytes))
    return true
  }
}
