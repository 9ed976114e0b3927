#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension StaticFiles {
  /// How many bytes a directory's files may have together: they are kept in memory.
  public static let directoryLimit = 64 << 20

  /// The files of a directory and the directories in it, as they are now.
  ///
  /// Files and directories whose names begin with a dot are left out. Symbolic links are not followed.
  ///
  /// - Parameters:
  ///   - directory: the directory.
  ///   - policy: the `Content-Security-Policy` of pages.
  /// - Throws: ``StaticFilesError`` if something cannot be read, or it is too much.
  public init(directory: String, policy: String = StaticFiles.defaultPolicy) throws(StaticFilesError) {
    self.init(policy: policy)
    try add(directory: directory)
  }

  /// Adds the files of a directory and the directories in it, as they are now, in the place of those of their names.
  ///
  ///     var files = StaticFiles.client
  ///     try files.add(directory: "web")
  ///
  /// Files and directories whose names begin with a dot are left out. Symbolic links are not followed.
  ///
  /// - Parameter directory: the directory.
  /// - Throws: ``StaticFilesError`` if something cannot be read, or it is too much.
  public mutating func add(directory: String) throws(StaticFilesError) {
    var left = Self.directoryLimit
    try add(directory, as: "", &left)
  }

  private mutating func add(_ directory: String, as prefix: String, _ left: inout Int) throws(StaticFilesError) {
    for name in try Self.names(in: directory) where !name.hasPrefix(".") {
      let path = "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { throw StaticFilesError(path) }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try add(path, as: "\(prefix)\(name)/", &left)
      case S_IFREG: add(prefix + name, try Self.contents(of: path, &left))
      default: break
      }
    }
  }

  private static func names(in directory: String) throws(StaticFilesError) -> [String] {
    guard let names = fileNames(in: directory) else { throw StaticFilesError(directory) }
    return names
  }

  private static func contents(of path: String, _ left: inout Int) throws(StaticFilesError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw StaticFilesError(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw StaticFilesError(path) }
      guard count > 0 else { return bytes }
      left -= count
      guard left >= 0 else {
        throw StaticFilesError(path: path, reason: "there are more than \(directoryLimit) bytes to keep in memory")
      }
      bytes += chunk[..<count]
    }
  }
}

/// A directory of files could not be read.
public struct StaticFilesError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What could not be read.
  public let path: String
  /// Why.
  public let reason: String

  init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// What the system says of it.
  fileprivate init(_ path: String) { self.init(path: path, reason: String(cString: strerror(errno))) }

  /// One sentence for a person.
  public var description: String { "The file or directory \"\(path)\" cannot be served: \(reason)." }
}
