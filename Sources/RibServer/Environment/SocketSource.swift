/// Where the connections of a server come from.
package struct SocketSource: Sendable {
  /// Binds a socket and begins to listen; of a port that is 0 any will do.
  package var listen: @Sendable (_ host: String, _ port: Int) throws(SystemError) -> ListeningSocket
  /// Accepts a connection, non-blocking and not inherited by child processes: its descriptor, or −1 with `errno`.
  package var accept: @Sendable (_ listening: Int32) -> Int32
  /// The peer of an accepted connection; nil if the connection was reset before it was accepted.
  package var caller: @Sendable (_ connection: Int32) -> Caller? = { Caller.atOtherEnd(of: $0) }

  /// Begins to connect to a host and a port; may wait for the name to be found, but not for the connection.
  package var connect: @Sendable (_ host: String, _ port: Int) throws(SystemError) -> Int32 = {
    (host, port) throws(SystemError) in try connectSocket(to: host, port)
  }

  /// Whether a host refuses connections to a port, as it is there and nobody listens; waits for a second at most.
  package var refuses: @Sendable (_ host: String, _ port: Int) -> Bool = { refusesConnections($0, $1) }

  /// Makes both ends of a connection within the process, non-blocking and not inherited by child processes.
  package var pair: @Sendable () throws(SystemError) -> (Int32, Int32) = { () throws(SystemError) in
    try makeSocketPair()
  }

  /// A source of connections.
  package init(
    listen: @escaping @Sendable (_ host: String, _ port: Int) throws(SystemError) -> ListeningSocket,
    accept: @escaping @Sendable (_ listening: Int32) -> Int32
  ) {
    self.listen = listen
    self.accept = accept
  }

  /// The system's.
  package static let system = SocketSource(
    listen: { host, port throws(SystemError) in try ListeningSocket(host: host, port: port) },
    accept: { acceptConnection($0) })
}
