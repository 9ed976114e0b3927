#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Says which seed it was when a schedule makes the program die, or does not come to its end.
enum SeedSignal {
  /// A schedule takes milliseconds: after so many seconds it has no end.
  private static let limit: UInt32 = 300
  private static let stackSize = 1 << 16

  /// Watches the schedules that are announced from here on.
  static func watch() {
    announcement.pointee = 0
    // A program that has used up its stack has another one to say so on.
    var stack = stack_t()
    stack.ss_sp = .allocate(byteCount: stackSize, alignment: 16)
    stack.ss_size = stackSize
    sigaltstack(&stack, nil)
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM] { handle(number, seedSignalHandler) }
  }

  /// Has SIGINT and SIGTERM end a run of many schedules behind the present one.
  static func awaitEnd() {
    endSignal.pointee = 0
    for number in [SIGINT, SIGTERM] { handle(number) { endSignal.pointee = $0 } }
  }

  /// Has a signal handled once; the next one has its usual effect.
  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    action.sa_flags = Int32(truncatingIfNeeded: SA_ONSTACK) | Int32(truncatingIfNeeded: SA_RESETHAND)
    #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = handler
    #else
      action.__sigaction_u.__sa_handler = handler
    #endif
    sigaction(number, &action, nil)
  }

  /// The signal that the run is to end by; nil if there was none.
  static var end: Int32? { endSignal.pointee == 0 ? nil : endSignal.pointee }

  /// Takes note of the schedule that begins.
  static func begin(_ seed: UInt64) {
    let text = "seed \(seed): the program has ended in it, or it does not end\n"
    text.withCString { _ = strcpy(announcement, $0) }
    alarm(limit)
  }
}

/// What is said then; the handler finds it without any call that it may not make.
private nonisolated(unsafe) let announcement = UnsafeMutablePointer<CChar>.allocate(capacity: 128)

private nonisolated(unsafe) let endSignal = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)

private func seedSignalHandler(_ number: Int32) {
  _ = write(STDERR_FILENO, announcement, strlen(announcement))
  // Its former handling is back: it ends the program.
  raise(number)
}
