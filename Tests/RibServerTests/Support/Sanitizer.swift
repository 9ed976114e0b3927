import Foundation

/// The sanitizer that the tests run under, as `scripts/sanitize` says.
enum Sanitizer: String {
  case thread, address

  /// Nil if there is none.
  static let current = ProcessInfo.processInfo.environment["RIB_SANITIZER"].flatMap(Sanitizer.init)

  /// Whether a program's size says nothing: what was freed is kept for a while, to see who still uses it, and who touched
  /// which memory is noted beside it.
  static var blursMemory: Bool { current != nil }
}
