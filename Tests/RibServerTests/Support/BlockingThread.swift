import Foundation

/// Threads for code that waits.
enum BlockingThread {
  static let name = "test.blocking"

  static func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      // On Linux a name that a thread is given from outside is not its name.
      Thread.current.name = name
      body()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }
}

/// Lets this process open as many descriptors as the system allows.
func raiseDescriptorLimit() -> Int {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  return Int(clamping: limit.rlim_cur)
}
