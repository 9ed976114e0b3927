import CLyingDisk

/// A process as its disk knows it: an opener of files that die with it.
final class DiskProcess {
  let opener: OpaquePointer

  /// A process that has opened nothing.
  init() { opener = rib_process_make() }

  deinit {
    if rib_process_current() == opener { rib_process_enter(nil) }
    rib_process_free(opener)
  }

  /// How many files it has open.
  var handleCount: Int { Int(rib_process_open_handles(opener)) }
  /// Whether a call at which it was to be killed has come.
  var isDead: Bool { rib_process_is_dead(opener) }

  /// Does something as this process.
  func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let before = rib_process_current()
    rib_process_enter(opener)
    defer { rib_process_enter(before) }
    return try body()
  }

  func kill() { rib_process_kill(opener) }
  func kill(atCall count: Int) { rib_process_kill_after(opener, UInt64(count)) }
  func fail(_ fault: rib_fault) { rib_process_fail(opener, fault) }
  func heal() { rib_process_heal(opener) }
}
