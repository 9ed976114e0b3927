import Foundation

/// Threads for code that waits.
package enum BlockingThread {
  private static let mark = "BlockingThread"

  /// Whether the code that asks runs on one of them.
  ///
  /// A name would not say: Foundation forgets the one that a thread gives itself before whoever has started it goes on.
  package static var isCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

  /// Runs a body on a thread of its own.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      Thread.current.threadDictionary[mark] = true
      body()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }
}
