import Foundation

/// The sanitizer that the tests run under, as `scripts/sanitize` says.
enum Sanitizer: String {
  case thread, address

  /// Nil if there is none.
  static let current = ProcessInfo.processInfo.environment["RIB_SANITIZER"].flatMap(Sanitizer.init)

  /// Whether what was freed is kept for a while, to see who still uses it, so that a program's size says nothing.
  static var keepsFreedMemory: Bool { current == .address }
}
