internal import Crypto

/// How a WebSocket begins: an HTTP/1.1 request to switch protocols and its 101 (RFC 6455 §4).
///
/// The client sends a ``request(host:path:key:subprotocols:compression:)``, the server its
/// ``answer(_:subprotocols:compression:)``, and the client makes sure of that with
/// ``check(_:key:subprotocols:compression:)``. Then both send frames. The one extension known is ``PerMessageDeflate``.
package enum WebSocketHandshake {
  /// The one version of the protocol (RFC 6455 §4.1).
  static let version = "13"

  /// What proves that the server read the key as a WebSocket server: a hash of it and a fixed text (RFC 6455 §4.2.2).
  ///
  /// - Parameter key: the value of Sec-WebSocket-Key, as sent.
  /// - Returns: the value of Sec-WebSocket-Accept.
  package static func acceptValue(for key: String) -> String {
    let digest = Insecure.SHA1.hash(data: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    return Base64.encode(Array(digest).span)
  }

  /// Whether `key` is 16 bytes in base 64 (RFC 6455 §4.1).
  static func isKey(_ key: String) -> Bool {
    Base64.decode(key)?.count == 16
  }
}
