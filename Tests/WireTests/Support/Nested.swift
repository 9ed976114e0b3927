@testable import Wire

/// A value that holds others of its kind.
protocol Nested: Codable, Equatable, Sendable {
  /// A value with so many others within each other.
  static func make(_ levels: Int) -> Self
}

/// A discussion: an object and an array a level.
struct NestedThread: Nested {
  var text = "a"
  var answers: [NestedThread] = []

  static func make(_ levels: Int) -> Self {
    (1..<max(levels, 1)).reduce(Self()) { inner, _ in Self(answers: [inner]) }
  }
}

/// An enum with payloads: two objects a level, one of which the compiler's coding nests.
indirect enum NestedCase: Nested {
  case end
  case node(NestedCase)

  static func make(_ levels: Int) -> Self { (1..<max(levels, 1)).reduce(.end) { inner, _ in .node(inner) } }
}

/// A dictionary and an optional.
struct NestedFolder: Nested {
  var folders: [String: NestedFolder] = [:]
  var last: [NestedFolder?] = [nil]

  static func make(_ levels: Int) -> Self {
    (1..<max(levels, 1)).reduce(Self()) { inner, level in
      level.isMultiple(of: 2) ? Self(folders: ["f": inner]) : Self(last: [nil, inner])
    }
  }
}

/// A value that is coded as another single value.
struct NestedBox: Nested {
  var content: [NestedBox] = []

  init(_ content: [NestedBox] = []) { self.content = content }
  init(from decoder: any Decoder) throws { content = try decoder.singleValueContainer().decode([NestedBox].self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }

  static func make(_ levels: Int) -> Self { (1..<max(levels, 1)).reduce(Self()) { inner, _ in Self([inner]) } }
}

/// A set, which is sorted by the text of its elements: there are two at each level.
struct NestedSet: Nested, Hashable {
  var number = 0
  var parts: Set<NestedSet> = []

  static func make(_ levels: Int) -> Self {
    (1..<max(levels, 1)).reduce(Self()) { inner, _ in Self(parts: [inner, Self(number: 1)]) }
  }
}

/// The same of a dictionary that is coded as an array of keys and values.
struct NestedTable: Nested {
  struct Key: Codable, Hashable { var number = 0 }
  var parts: [Key: NestedTable] = [:]

  static func make(_ levels: Int) -> Self {
    (1..<max(levels, 1)).reduce(Self()) { inner, _ in Self(parts: [Key(): inner, Key(number: 1): Self()]) }
  }
}

extension JSONValue: Nested {
  static func make(_ levels: Int) -> JSONValue {
    (1..<max(levels, 1)).reduce(.array([])) { inner, level in
      level.isMultiple(of: 2) ? .array([inner]) : .object(["a": inner, "b": .integer(1)])
    }
  }
}
