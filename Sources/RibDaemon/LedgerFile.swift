import Showcase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that the showcase's ledger writes its payments in.
///
/// The environment names it, `RIBD_LEDGER`: it is for those who test the daemon, and no setting of the server.
enum LedgerFile {
  /// The variable's name.
  static let variable = "RIBD_LEDGER"

  /// Why a payment is not in the file.
  private struct LedgerError: Error, CustomStringConvertible {
    let path: String
    let code: Int32
    var description: String { "The ledger \(path) cannot be written: \(String(cString: strerror(code)))" }
  }

  /// The service that writes to the file; one that forgets if none is named.
  static func service() throws -> LedgerService {
    guard let path = getenv(variable).map({ String(cString: $0) }) else { return .none }
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LedgerError(path: path, code: errno) }
    return LedgerService { line in
      // One write: lines of several effects do not mix, and a process that is killed leaves no half of one.
      let bytes = Array("\(line)\n".utf8)
      let count = write(descriptor, bytes, bytes.count)
      guard count == bytes.count else { throw LedgerError(path: path, code: count < 0 ? errno : ENOSPC) }
    }
  }
}
