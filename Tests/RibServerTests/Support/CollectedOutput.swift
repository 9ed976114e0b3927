import Foundation
import Synchronization

/// What a process writes to a pipe, read by a thread of its own as it comes.
final class CollectedOutput: Sendable {
  let pipe = Pipe()
  private let bytes = Mutex(Data())
  private let hasEnded = DispatchSemaphore(value: 0)

  /// All that has come so far.
  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  /// Begins to read, once the process is started.
  func collect() {
    BlockingThread.start { [self] in
      while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
        bytes.withLock { $0 += data }
      }
      hasEnded.signal()
    }
  }

  /// Waits until nothing more can come, or time is up.
  func waitForEnd(within seconds: Double) { _ = hasEnded.wait(timeout: .now() + seconds) }
}
