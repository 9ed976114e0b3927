/// The cases of enums without payloads, read from what the compiler leaves about a type.
///
/// The layout is the runtime's (docs/ABI/TypeMetadata in Swift's repository): the metadata of an enum begins with its kind
/// and the address of its descriptor, which counts the cases with payloads and those without; the n-th of those without
/// is stored as n. Nothing else here reads it, and nothing that an action does depends on it.
package enum EnumCases {
  /// Whether a type is an enum, and no optional.
  ///
  /// - Parameter type: the type.
  /// - Returns: whether it is one.
  package static func isEnum(_ type: any Any.Type) -> Bool { kind(of: type) == 0x201 }

  /// All values of an enum without payloads, for coding keys and enums of strings: those that C knows as well are stored
  /// as their raw values.
  ///
  /// - Parameter type: the enum.
  /// - Returns: the values, in the order of their declaration; nil for any other type.
  package static func all<Value>(of type: Value.Type) -> [Value]? {
    guard isEnum(type) else { return nil }
    // Behind the kind comes the descriptor; its sixth and seventh words of 32 bits are the counts.
    let descriptor = unsafeBitCast(type as any Any.Type, to: UnsafeRawPointer.self)
      .load(fromByteOffset: MemoryLayout<Int>.size, as: UnsafeRawPointer.self)
    let payloads = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    let count = Int(descriptor.load(fromByteOffset: 24, as: UInt32.self))
    guard payloads == 0, count > 0, MemoryLayout<Value>.size == bytes(for: count) else { return nil }
    return (0..<count).map { value(of: type, tag: $0) }
  }

  private static func kind(of type: any Any.Type) -> Int {
    unsafeBitCast(type, to: UnsafeRawPointer.self).load(as: Int.self)
  }

  /// How many bytes tell so many cases apart.
  private static func bytes(for count: Int) -> Int {
    switch count {
    case ...1: 0
    case ...0x100: 1
    case ...0x1_0000: 2
    default: 4
    }
  }

  private static func value<Value>(of type: Value.Type, tag: Int) -> Value {
    // The tag is stored in as many bytes as the value has, the lowest first.
    withUnsafeBytes(of: UInt64(tag).littleEndian) { $0.loadUnaligned(as: Value.self) }
  }
}
