/// Where the connections of a server come from.
package struct SocketSource: Sendable {
  /// Binds a socket and begins to listen; of a port that is 0 any will do.
  package var listen: @Sendable (_ host: String, _ port: Int) throws(SystemError) -> ListeningSocket
  /// Accepts a connection, non-blocking and not inherited by child processes: its descriptor, or −1 with `errno`.
  package var accept: @Sendable (_ listening: Int32) -> Int32
  /// The peer of an accepted connection; nil if the connection was reset before it was accepted.
  package var caller: @Sendable (_ connection: Int32) -> Caller? = { Caller.atOtherEnd(of: $0) }

  /// Finds the address of a host's name; may wait for long.
  package var find: @Sendable (_ host: String) throws(SystemError) -> String = {
    host throws(SystemError) in try findAddress(of: host)
  }
  /// Begins to connect to an address and a port; waits for nothing.
  ///
  /// The socket can be written to once it is connected, or has failed.
  package var connect: @Sendable (_ address: String, _ port: Int) throws(SystemError) -> Int32 = {
    (address, port) throws(SystemError) in try connectSocket(to: address, port)
  }
  /// Why a socket could not be connected: an error number; 0 if it was.
  package var failure: @Sendable (_ descriptor: Int32) -> Int32 = { connectionFailure($0) }

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
