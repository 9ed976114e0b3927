#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The program that runs.
enum Executable {
  /// Tells the program from every other: it is the same in each process that runs the same file, unchanged, with the same arguments.
  ///
  /// The file is not read for it: whatever is written, copied or installed has another time of its last change. Where the
  /// system does not say which file runs, each process counts as another program. Of the arguments, which may be secret, there is a
  /// hash. Environment variables are not part of it, as whoever starts a service gives each process others.
  static let mark = mark(of: CommandLine.arguments)

  /// The mark that the file would have if it ran with these arguments.
  ///
  /// - Parameter arguments: the first one is the name that the file was called by, and does not count.
  /// - Returns: some text.
  static func mark(of arguments: [String]) -> String {
    #if os(Linux)
      var file = stat()
      if stat("/proc/self/exe", &file) == 0 {
        let times = [file.st_mtim, file.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
        let hash = SessionToken.hash(arguments.dropFirst().joined(separator: "\0"))
        return "\(file.st_size) \(times.joined(separator: " ")) \(hash.prefix(32))"
      }
    #endif
    return "\(UInt64.random(in: .min ... .max))"
  }
}
