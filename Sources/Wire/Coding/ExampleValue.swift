#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Values of frequent types, for decoders that find out what a type decodes from.
package enum ExampleValue {
  /// A zero, an empty text or the like; nil for a type that is not known here.
  ///
  /// - Parameter type: the value's type.
  /// - Returns: the value.
  package static func of<Value>(_ type: Value.Type) -> Value? {
    let value: Any? =
      switch type {
      case is Bool.Type: false
      case is String.Type: ""
      case is Double.Type: 0.0
      case is Float.Type: Float(0)
      case let type as any FixedWidthInteger.Type: type.init(0)
      case is Date.Type: Date(timeIntervalSinceReferenceDate: 0)
      case is URL.Type: URL(string: "https://example.org")
      case is UUID.Type: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      case is Data.Type: Data()
      case is Decimal.Type: Decimal(0)
      default: nil
      }
    // Not `value as? Value`: that would make a value of nil if `Value` is an optional type.
    return value.flatMap { $0 as? Value }
  }
}
