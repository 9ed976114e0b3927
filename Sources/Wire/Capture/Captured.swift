/// A value in the form in which its container captures it.
enum Captured {
  case null
  case bool(Bool)
  case signed(Int64)
  case unsigned(UInt64)
  /// The digits of an integer type of more than 64 bits.
  case wide(String)
  case double(Double)
  case float(Float)
  case string(String)
  /// A value of any other type, boxed, and captured only when needed.
  case value(AnyValueBox)
  /// A container that a hand-written `encode(to:)` nests, or that an enum nests for its payload.
  case nested(Capturer)

  /// A value of any type: the simple types are recognised, so that for example the elements of an array of strings need
  /// no box.
  init<Value: Encodable>(_ value: Value) { self = Captured(simple: value) ?? .value(ValueBox(value)) }

  /// A value of one of the frequent simple types; nil for a value of another type.
  init?<Value>(simple value: Value) {
    if let string = identical(value, String.self) {
      self = .string(string)
    } else if let integer = identical(value, Int.self) {
      self = .signed(Int64(integer))
    } else if let double = identical(value, Double.self) {
      self = .double(double)
    } else if let bool = identical(value, Bool.self) {
      self = .bool(bool)
    } else {
      return nil
    }
  }

  /// Whether both are equal simple values, or boxes with the same bits, and so are written as the same JSON.
  ///
  /// False says nothing about containers and boxes.
  func isSameLeaf(as other: Captured) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let ours), .bool(let theirs)): ours == theirs
    case (.signed(let ours), .signed(let theirs)): ours == theirs
    case (.unsigned(let ours), .unsigned(let theirs)): ours == theirs
    case (.double(let ours), .double(let theirs)): ours.bitPattern == theirs.bitPattern
    case (.float(let ours), .float(let theirs)): ours.bitPattern == theirs.bitPattern
    case (.wide(let ours), .wide(let theirs)), (.string(let ours), .string(let theirs)):
      haveSameUTF8(ours, theirs)
    case (.value(let ours), .value(let theirs)): ours.hasSameBits(as: theirs)
    default: false
    }
  }
}

/// A property of an object.
struct Field {
  let key: String
  var value: Captured

  /// Whether both keys have the same UTF-8, as a client compares them; `==` calls some other keys equal as well.
  func hasSameKey(as other: Field) -> Bool { haveSameUTF8(key, other.key) }
}

/// The value if its type is exactly this one; a dynamic cast would cost fifty times as much.
@inline(__always)
func identical<Value, Other>(_ value: Value, _ type: Other.Type) -> Other? {
  Value.self == Other.self ? unsafeBitCast(value, to: Other.self) : nil
}
