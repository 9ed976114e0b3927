import Foundation

/// Threads for code that waits.
enum BlockingThread {
  static func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.stackSize = 1 << 20
    thread.start()
  }
}

/// Asks again and again until something is true, for what no event tells.
///
/// - Returns: false if it is still not true after `seconds`.
func eventually(within seconds: Double = 10, _ isTrue: () -> Bool) async -> Bool {
  let end = Date().addingTimeInterval(seconds)
  while !isTrue() {
    if Date() > end { return false }
    await Task.yield()
  }
  return true
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
