import Wire
import WireHTTP

/// The `Idempotency-Key` of a request that acts: the number of its first action, as a string of RFC 8941 §3.3.3.
enum IdempotencyKeyField {
  /// The number in a request's header.
  ///
  /// - Parameter headers: the request's.
  /// - Returns: from 1 to 2^53−1.
  /// - Throws: ``HTTPError`` with 400 if it is missing, or is no number in quotation marks.
  static func number(in headers: HeaderFields) throws(HTTPError) -> Int {
    let values = headers.values(for: "Idempotency-Key")
    let text = values.first ?? ""
    guard values.count == 1, 3...longestName ~= text.utf8.count, text.hasPrefix("\""), text.hasSuffix("\""),
      let number = Int(text.dropFirst().dropLast()), (1...largestNumber).contains(number)
    else {
      throw HTTPError(
        status: .badRequest,
        reason: "Idempotency-Key is the number of the first action in quotation marks, such as \"1\".")
    }
    return number
  }
}
