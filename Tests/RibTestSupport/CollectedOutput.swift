package import Foundation
import Synchronization

/// What a process writes to a pipe, read by a thread of its own as it comes.
package final class CollectedOutput: Sendable {
  /// What the process writes to.
  package let pipe = Pipe()
  private let bytes = Mutex(Data())
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Output of a process that is not started yet.
  package init() {}

  /// All that has come so far.
  package var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  /// Begins to read, once the process is started.
  package func collect() {
    BlockingThread.start { [self] in
      while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
        bytes.withLock { $0 += data }
      }
      hasEnded.signal()
    }
  }

  /// Waits until nothing more can come, or time is up.
  package func waitForEnd(within seconds: Double) { _ = hasEnded.wait(timeout: .now() + seconds) }
}
