// How a difference is found without encoding.
//
// `Codable` serves as reflection: one `encode(to:)` into a `Recorder` notes each property of a value *as a value*, no
// byte is written. Two recordings are compared field by field. A property of a simple type stays unboxed and is compared
// as it is; any other is kept as it came, compared as memory first (two values of a value type with the same bits are
// the same), and recorded in its turn only if the bits differ. So what did not change is never descended into, and what
// changed is written as JSON once.
//
// `==` is not asked: it may call two strings equal whose UTF-8 differs, and 0 and −0, and what a client holds must equal
// the snapshot to the byte.

/// A value as its container recorded it.
enum Recorded {
  case null
  case bool(Bool)
  case signed(Int64)
  case unsigned(UInt64)
  case wide(String)
  case double(Double)
  case float(Float)
  case string(String)
  /// A value of any other type, not yet recorded.
  case value(AnyEncodableBox)
  /// A container that the value's own `encode(to:)` nested by hand, or that an enum nests for its payload.
  case nested(Recorder)
}

/// A property.
struct Field {
  let key: String
  var value: Recorded
}

/// A value kept with its type.
class AnyEncodableBox {
  /// Encodes the value.
  func record(into recorder: Recorder) throws { preconditionFailure("abstract") }
  /// Whether the other value is of the same type and has the same bits, and equal bits mean equal values.
  func hasSameBits(as other: AnyEncodableBox) -> Bool { preconditionFailure("abstract") }
}

final class EncodableBox<Value: Encodable>: AnyEncodableBox {
  private var value: Value

  init(_ value: Value) { self.value = value }

  override func record(into recorder: Recorder) throws { try value.encode(to: recorder) }

  override func hasSameBits(as other: AnyEncodableBox) -> Bool {
    // Behind equal references to an object there may be two states of it.
    guard let other = other as? EncodableBox<Value>, !(Value.self is AnyObject.Type) else { return false }
    return withUnsafeBytes(of: &value) { ours in
      withUnsafeBytes(of: &other.value) { theirs in ours.elementsEqual(theirs) }
    }
  }
}

/// Why a value cannot be part of a view.
public struct RecordingError: Error, Sendable, CustomStringConvertible {
  /// Keys and indices that lead to the culprit.
  public private(set) var path: [String]
  /// What is wrong with it.
  public let reason: String

  init(_ reason: String, path: [String] = []) {
    self.reason = reason
    self.path = path
  }

  /// The error, with `key` put before its path.
  func below(_ key: String) -> RecordingError {
    var error = self
    error.path.insert(key, at: 0)
    return error
  }

  /// One sentence for a log.
  public var description: String {
    path.isEmpty ? reason : "\(path.joined(separator: ".")): \(reason)"
  }
}
