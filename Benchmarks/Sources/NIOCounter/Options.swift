import NIOCore

/// The command line of `nio-counter`.
struct Options {
  static let usage = "usage: nio-counter [--host HOST] [--port PORT] [--threads N]"

  var host = "127.0.0.1"
  var port = 8091
  var threads = System.coreCount

  /// Reads the arguments that follow the program's name.
  ///
  /// Returns nil for an unknown flag, and for a value that is missing or out of range.
  init?(_ arguments: some Sequence<String>) {
    var arguments = arguments.makeIterator()
    while let flag = arguments.next() {
      guard let value = arguments.next() else { return nil }
      switch flag {
      case "--host":
        host = value
      case "--port":
        guard let number = UInt16(value) else { return nil }
        port = Int(number)
      case "--threads":
        guard let number = Int(value), number > 0 else { return nil }
        threads = number
      default:
        return nil
      }
    }
  }
}
