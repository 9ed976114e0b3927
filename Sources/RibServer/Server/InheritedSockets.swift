#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Sockets that the process was handed by its supervisor, which listens on them also while no process does (sd_listen_fds(3)).
///
/// A server is given one by ``ServerSettings/socket``.
public struct InheritedSockets: Equatable, Sendable {
  /// The first descriptor that is handed over.
  private static let first: Int32 = 3

  private let names: [String]

  /// The sockets of this process; to be asked before other threads change the environment.
  ///
  /// - Throws: ``InheritedSocketsError`` if the supervisor has not said how many they are.
  public static func ofProcess() throws(InheritedSocketsError) -> InheritedSockets {
    try InheritedSockets(processID: getpid()) { name in getenv(name).map { String(cString: $0) } }
  }

  /// The sockets that variables tell of.
  ///
  /// - Parameters:
  ///   - processID: this process: what was meant for another one, its parent perhaps, is not for this one.
  ///   - variable: the value of a variable; nil if it is not set.
  /// - Throws: ``InheritedSocketsError`` if these do not fit together.
  init(processID: Int32, _ variable: (String) -> String?) throws(InheritedSocketsError) {
    guard variable("LISTEN_PID") == "\(processID)" else {
      names = []
      return
    }
    let text = variable("LISTEN_FDS") ?? ""
    guard let count = Int(text), 0...1024 ~= count else {
      throw InheritedSocketsError(reason: "LISTEN_FDS is \"\(text)\", and no number of sockets")
    }
    let given = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false).map(
      String.init)
    names = (0..<count).map { given.indices ~= $0 ? given[$0] : "" }
  }

  /// The socket of a name.
  ///
  /// - Parameter name: `FileDescriptorName=` of its unit.
  /// - Returns: its descriptor; nil if there is none.
  public subscript(_ name: String) -> Int32? {
    names.firstIndex(of: name).map { Self.first + Int32($0) }
  }

  /// Makes sure that no socket was handed over in vain: clients would wait in its queue for ever.
  ///
  /// - Parameter taken: the descriptors that are used.
  /// - Throws: ``InheritedSocketsError`` with the first one that is not.
  public func check(areTaken taken: [Int32?]) throws(InheritedSocketsError) {
    for (index, name) in names.enumerated() where !taken.contains(Self.first + Int32(index)) {
      throw InheritedSocketsError(
        reason: "the socket \"\(name)\" is one too many: there is one for clients, and one called admin")
    }
  }

  /// The first socket that is none of the names.
  ///
  /// - Parameter others: names that are for something else.
  /// - Returns: its descriptor; nil if there is none.
  public func first(besides others: [String]) -> Int32? {
    names.firstIndex { !others.contains($0) }.map { Self.first + Int32($0) }
  }
}

/// A supervisor has handed over sockets that cannot be used.
public struct InheritedSocketsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault, and what is wanted, as the end of a sentence.
  public let reason: String

  /// One sentence for a person.
  public var description: String { "The sockets that the process was handed cannot be used: \(reason)." }
}

extension ListeningSocket {
  /// A socket that listens already, which the process was handed.
  ///
  /// - Parameter descriptor: the socket.
  /// - Throws: ``SystemError`` if it is none, or does not listen.
  init(inherited descriptor: Int32) throws(SystemError) {
    let operation = "listen on descriptor \(descriptor)"
    var listens: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 else { throw .last(operation) }
    guard listens == 1 else { throw SystemError(operation: operation, code: EINVAL) }
    guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, beginListening(descriptor, backlog: 4096) == 0
    else { throw .last(operation) }
    let (address, port) = Self.name(of: descriptor) ?? (Self.unixPrefix + Self.path(of: descriptor), 0)
    self.init(descriptor: descriptor, address: address, port: port)
  }
}
