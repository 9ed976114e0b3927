import CCurl
package import WireHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A connection that libcurl makes and lends: bytes out, bytes in, with time limits.
///
/// libcurl takes care of names, proxies and (for `https`) TLS; what is said is up to the user, as `CURLOPT_CONNECT_ONLY`
/// has it. Every call blocks its thread until it is done or time is up.
package final class CurlSocket {
  private let handle: UnsafeMutableRawPointer
  private let socket: curl_socket_t

  /// The socket itself, to be waited for together with others.
  package var descriptor: Int32 { socket }

  /// How long a call waits unless it is told: a minute, in milliseconds.
  ///
  /// A peer that works may take as long on a machine that is busy.
  package static let defaultTimeout = 60_000

  /// Connects.
  ///
  /// - Parameters:
  ///   - url: of the server; only its scheme, host and port matter here.
  ///   - timeout: for the connection, in milliseconds.
  /// - Throws: ``CurlError`` if there is no connection.
  package init(url: String, timeout: Int = defaultTimeout) throws(CurlError) {
    // Documented as safe to call again; it is thread-safe since 7.84.
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let handle = curl_easy_init() else { throw CurlError(code: CURLE_FAILED_INIT.rawValue) }
    var code = ccurl_set_string(handle, CURLOPT_URL, url)
    if code == CURLE_OK { code = ccurl_set_long(handle, CURLOPT_CONNECT_ONLY, 1) }
    if code == CURLE_OK { code = ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1) }
    if code == CURLE_OK { code = ccurl_set_long(handle, CURLOPT_TCP_NODELAY, 1) }
    if code == CURLE_OK { code = ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, timeout) }
    if code == CURLE_OK { code = curl_easy_perform(handle) }
    var socket: curl_socket_t = -1
    if code == CURLE_OK { code = ccurl_active_socket(handle, &socket) }
    guard code == CURLE_OK else {
      curl_easy_cleanup(handle)
      throw CurlError(code: code.rawValue)
    }
    self.handle = handle
    self.socket = socket
  }

  deinit { curl_easy_cleanup(handle) }

  /// Sends all of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: what to send.
  ///   - timeout: milliseconds without progress after which it is given up.
  /// - Throws: ``CurlError``.
  package func send(_ bytes: [UInt8], timeout: Int = defaultTimeout) throws(CurlError) {
    var sent = 0
    while sent < bytes.count {
      sent += try sendSome(bytes[sent...])
      if sent < bytes.count, !wait(Int16(POLLOUT), timeout) { throw .timedOut }
    }
  }

  /// Sends what the connection takes at once.
  ///
  /// - Parameter bytes: what to send.
  /// - Returns: how many bytes were taken, maybe none.
  /// - Throws: ``CurlError``.
  package func sendSome(_ bytes: ArraySlice<UInt8>) throws(CurlError) -> Int {
    var count = 0
    let code = bytes.withUnsafeBytes { curl_easy_send(handle, $0.baseAddress, $0.count, &count) }
    guard code == CURLE_OK || code == CURLE_AGAIN else { throw CurlError(code: code.rawValue) }
    return code == CURLE_OK ? count : 0
  }

  /// Tells the peer that nothing more is sent; what it says is still received.
  package func endSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Ends the connection, in both directions; what was received and not read is lost.
  package func cut() { shutdown(socket, Int32(SHUT_RDWR)) }

  /// Waits for bytes and adds them to a buffer.
  ///
  /// - Parameters:
  ///   - buffer: where to.
  ///   - timeout: milliseconds; 0 for not at all.
  /// - Returns: false if the peer has closed.
  /// - Throws: ``CurlError``, with ``CurlError/timedOut`` if nothing came.
  package func receive(into buffer: inout ReceiveBuffer, timeout: Int = defaultTimeout) throws(CurlError) -> Bool {
    while true {
      var count = 0
      var code = CURLE_OK
      buffer.fill(atLeast: 16_384) { room in
        code = curl_easy_recv(handle, room.baseAddress, room.count, &count)
        return code == CURLE_OK ? count : 0
      }
      if code == CURLE_OK { return count > 0 }
      guard code == CURLE_AGAIN else { throw CurlError(code: code.rawValue) }
      guard wait(Int16(POLLIN), timeout) else { throw .timedOut }
    }
  }

  private func wait(_ events: Int16, _ timeout: Int) -> Bool {
    var entry = pollfd(fd: socket, events: events, revents: 0)
    var result: Int32
    repeat { result = poll(&entry, 1, Int32(clamping: timeout)) } while result < 0 && errno == EINTR
    return result > 0
  }
}

/// libcurl could not do something.
package struct CurlError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The `CURLcode`.
  package let code: UInt32

  init(code: UInt32) { self.code = code }

  /// Time was up.
  package static var timedOut: CurlError { CurlError(code: CURLE_OPERATION_TIMEDOUT.rawValue) }

  /// libcurl's sentence for the code.
  package var description: String { String(cString: curl_easy_strerror(CURLcode(rawValue: code))) }
}
