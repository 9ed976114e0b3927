/// Why a WebSocket ends (RFC 6455 §7.4).
public struct CloseCode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt16

  /// A code with the given number.
  ///
  /// - Parameter rawValue: 1000 to 4999.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The purpose of the connection is fulfilled.
  package static let normal = CloseCode(rawValue: 1000)
  /// The server goes down, or the client leaves the page.
  package static let goingAway = CloseCode(rawValue: 1001)
  /// The peer broke RFC 6455.
  package static let protocolError = CloseCode(rawValue: 1002)
  /// The peer sent a kind of data that is not understood here.
  package static let unsupportedData = CloseCode(rawValue: 1003)
  /// A text message is not UTF-8, or data does not fit its type.
  package static let invalidData = CloseCode(rawValue: 1007)
  /// A message is longer than the limit.
  package static let messageTooBig = CloseCode(rawValue: 1009)
  /// The server failed.
  package static let internalError = CloseCode(rawValue: 1011)

  /// Whether a peer may send this code (RFC 6455 §7.4.1 and §7.4.2, and the codes registered since: 1012 to 1014).
  package var maySend: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
