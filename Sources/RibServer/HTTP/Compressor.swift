import Synchronization
import WireHTTP

/// Compresses long answers on a queue of its own, one after the other: the loops have others to serve.
///
/// The bytes that wait there are bounded, whoever asks for them and goes: an answer beyond that is sent as it is.
final class Compressor: Sendable {
  /// How many bytes of bodies may wait, or are being compressed.
  static let byteLimit = 8 << 20

  private let queue: any JobQueue
  private let time: TimeSource
  private let byteCount = Atomic(0)

  /// A compressor at rest.
  ///
  /// - Parameter environment: the queue is the environment's.
  init(_ environment: Environment) {
    queue = environment.makeQueue("ribserver.compression", .normal)
    time = environment.time
  }

  /// Compresses an answer, if that takes long and not too much waits.
  ///
  /// - Parameters:
  ///   - response: the answer.
  ///   - head: of its request.
  ///   - connection: whose it is; for one that is gone by then nothing is compressed.
  ///   - done: called on the queue, with the connection, the answer as the client gets it, and the nanoseconds that it took.
  /// - Returns: false if the caller has to send the answer itself.
  func compress(
    _ response: Response, for head: RequestHead, of connection: Connection,
    _ done: @escaping @Sendable (Connection, Response, UInt64) -> Void
  ) -> Bool {
    let size = response.body.count
    guard byteCount.add(size, ordering: .relaxed).newValue <= Self.byteLimit else {
      byteCount.subtract(size, ordering: .relaxed)
      return false
    }
    queue.add { [self, weak connection] in
      defer { byteCount.subtract(size, ordering: .relaxed) }
      guard let connection else { return }
      let start = time.monotonic()
      let compressed = response.compressed(for: head)
      done(connection, compressed, time.monotonic() - start)
    }
    return true
  }
}
