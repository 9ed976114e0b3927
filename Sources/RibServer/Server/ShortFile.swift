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

/// The bytes that a file has.
///
/// - Parameter path: the file.
/// - Returns: its size; nil if there is no such file.
func fileSize(_ path: String) -> Int? {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : nil
}
