#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The text of a short file, such as those of proc(5).
///
/// - Parameter path: the file.
/// - Returns: its first 64 KiB; nil if there is no such file.
func readShortFile(_ path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 65_536)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes.prefix(count), as: UTF8.self)
}

/// The user and the group that a file or a directory belongs to.
///
/// - Parameter path: the file.
/// - Returns: their numbers; nil if there is no such file.
func fileOwner(_ path: String) -> (user: uid_t, group: gid_t)? {
  var status = stat()
  return stat(path, &status) == 0 ? (status.st_uid, status.st_gid) : nil
}

/// The names of what is in a directory.
///
/// - Parameter directory: the directory.
/// - Returns: the names, also `.` and `..`, in no order; nil with `errno` if it cannot be read.
func fileNames(in directory: String) -> [String]? {
  guard let stream = opendir(directory) else { return nil }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          String(cString: $0)
        }
      })
  }
  return names
}

/// The bytes that a file has.
///
/// - Parameter path: the file.
/// - Returns: its size; nil if there is no such file.
func fileSize(_ path: String) -> Int? {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : nil
}

/// Whether a file or a directory gives others than its user a right.
///
/// - Parameters:
///   - rights: bits of its mode.
///   - path: the file.
/// - Returns: false as well if there is no such file.
func othersMay(_ rights: mode_t, _ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & rights != 0
}
