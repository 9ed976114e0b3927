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
  /// The sockets that are not connected yet, and those that never will be, as they were refused.
  private(set) var pending: Set<Int32> = []
  private var refused: Set<Int32> = []
  private var random: SimulationRandom

  /// A network without sockets.
  ///
  /// - Parameter seed: what its latencies follow from.
  init(seed: UInt64) { random = SimulationRandom(seed: seed, stream: 0) }

  /// How long something is on its way: up to a millisecond.
  func latency() -> UInt64 { .random(in: 100_000...1_000_000, using: &random) }

  /// Connects to a listener.
  ///
  /// - Parameter listener: where; nil where nobody answers.
  /// - Returns: the descriptor of the end that has dialled.
  /// - Throws: ``SystemError`` if there are no more descriptors.
  func connect(to listener: SimulatedListener?) throws(SystemError) -> Int32 {
    let (one, other) = try SocketPair.make()
    ends[one] = End(other: other)
    ends[other] = End(other: one)
    if let listener {
      listener.enqueue(other)
    } else {
      unanswered.append(other)
      pending.insert(one)
    }
    return one
  }

  /// Refuses a connection that is not there yet.
  ///
  /// - Parameters:
  ///   - descriptor: the end that has dialled.
  ///   - other: the other one; it is another connection's socket by now if this is not its other end.
  func refuse(_ descriptor: Int32, from other: Int32) {
    guard ends[descriptor]?.other == other, pending.remove(descriptor) != nil else { return }
    refused.insert(descriptor)
    ends[descriptor]?.poller?.lookSoon()
  }

  /// Why a socket could not be connected; 0 if it was.
  func failure(of descriptor: Int32) -> Int32 { refused.contains(descriptor) ? ECONNREFUSED : 0 }

  /// Takes note that a socket is closed: the other end hears of it.
  func didClose(_ descriptor: Int32) {
    pending.remove(descriptor)
    refused.remove(descriptor)
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
