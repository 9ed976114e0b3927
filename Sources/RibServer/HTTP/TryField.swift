import Wire
import WireHTTP

/// The `Riblet-Try` of a request for events: the client's `try`, in decimal digits alone (PROTOCOL.md, "http-events").
enum TryField {
  static let name = "Riblet-Try"

  /// The number in a request's header.
  ///
  /// - Parameter headers: the request's.
  /// - Returns: from 1 to 2^53−1; nil if there is none, and the client does not count.
  /// - Throws: ``HTTPError`` with 400 if it is no number.
  static func number(in headers: HeaderFields) throws(HTTPError) -> Int? {
    let values = headers.values(for: name)
    guard let text = values.first else { return nil }
    guard values.count == 1, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let number = Int(text), (1...largestNumber).contains(number)
    else {
      throw HTTPError(status: .badRequest, reason: "\(name) is the number of the attempt, from 1.")
    }
    return number
  }
}
