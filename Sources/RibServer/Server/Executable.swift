import Crypto

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The program that runs.
package enum Executable {
  /// Tells the program from every other: it is the same in each process that runs the same file, unchanged, with the same arguments.
  ///
  /// The file is not read for it: whatever is written, copied or installed has another time of its last change. Where the
  /// system does not say which file runs, each process counts as another program. Of the arguments, which may be secret, there is a
  /// hash. Environment variables are not part of it, as whoever starts a service gives each process others.
  package static let mark = mark(of: CommandLine.arguments)

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

  /// Tells the program from every other on any machine: the SHA-256 of the file that runs.
  ///
  /// Nodes have addresses and directories of their own in their arguments, and images of one build are unpacked at different times: so
  /// neither is part of it. The file is read once. Where the system does not say which file runs,
  /// each process counts as another program.
  static let contentMark = knownContentMark ?? "\(UInt64.random(in: .min ... .max))"
  /// The same; nil if the file cannot be read.
  static let knownContentMark = contentMark(of: "/proc/self/exe")

  /// The mark of a file.
  ///
  /// - Parameter path: the file.
  /// - Returns: 32 hexadecimal digits; nil if the file cannot be read.
  static func contentMark(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var hash = SHA256()
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = fread(&bytes, 1, bytes.count, file)
      guard count > 0 else { break }
      bytes.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }
    guard ferror(file) == 0 else { return nil }
    return String(hexadecimal(hash.finalize()).prefix(32))
  }
}
