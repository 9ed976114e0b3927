#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file of the program that runs.
enum Executable {
  /// Tells the program from every other: it is the same in each process that runs the same file, unchanged.
  ///
  /// A file is not read for it: whatever is written, copied or installed has another time of its last change. Where the
  /// system does not say which file runs, each process counts as another program.
  static let mark: String = {
    #if os(Linux)
      var file = stat()
      if stat("/proc/self/exe", &file) == 0 {
        let times = [file.st_mtim, file.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
        return "\(file.st_size) \(times.joined(separator: " "))"
      }
    #endif
    return "\(UInt64.random(in: .min ... .max))"
  }()
}
