import Foundation

/// Threads for code that waits.
package enum BlockingThread {
  /// The name of each of these threads.
  package static let name = "test.blocking"

  /// Runs a body on a thread of its own.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      // On Linux a name that a thread is given from outside is not its name.
      Thread.current.name = name
      body()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }
}
