#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A system call failed.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried.
  public let operation: String
  /// The call's error number.
  public let code: Int32

  /// A call that has failed.
  package init(operation: String, code: Int32) {
    self.operation = operation
    self.code = code
  }

  /// The error of the call that failed last on this thread.
  static func last(_ operation: String) -> SystemError { SystemError(operation: operation, code: errno) }

  /// What was tried and why it failed, for a person.
  public var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
