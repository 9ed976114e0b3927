// Types of every shape that Codable has. What Foundation's coder makes of them is what ours must.

struct Address: Codable, Equatable {
  var street: String
  var number: Int?
}

struct Person: Codable, Equatable {
  var name: String
  var nickname: String?
  var age: UInt8
  var tags: [String]
  var address: Address?
  var friends: [Person] = []
}

struct Empty: Codable, Equatable {}

struct HoldsEmpty: Codable, Equatable {
  var empty = Empty()
  var list: [Empty] = []
  var none: Empty?
}

/// A property of every simple type.
struct Simple: Codable, Equatable {
  var bool = true
  var string = "a\n\"\u{E9}"
  var double = 0.1
  var float: Float = 0.1
  var int = Int.min
  var int8 = Int8.min
  var int16 = Int16.max
  var int32 = Int32.min
  var int64 = Int64.max
  var int128 = Int128.min
  var uint = UInt.max
  var uint8 = UInt8.max
  var uint16 = UInt16.max
  var uint32 = UInt32.max
  var uint64 = UInt64.max
  var uint128 = UInt128.max
}

enum Tab: String, Codable, CaseIterable { case home, finance = "fin\u{E9}" }

enum Level: Int, Codable { case low = 1, high = -3 }

enum Screen: Codable, Equatable, Sendable {
  case empty
  case list([Int])
  case detail(id: Int, title: String?)
  case pair(Int, String)
  case tab(Tab)
  case optional(Int?)
  indirect case nested(Screen, level: Level)
}

struct Renamed: Codable, Equatable {
  var first: Int
  var second: [String: Int]

  enum CodingKeys: String, CodingKey {
    case first = "a/b~c"
    case second = "k\"\u{E9}"
  }
}

indirect enum Tree: Codable, Equatable {
  case leaf(Double)
  case branch(left: Tree, right: Tree)
}

class Animal: Codable, Equatable {
  var legs: Int

  init(legs: Int) { self.legs = legs }

  static func == (ours: Animal, theirs: Animal) -> Bool { ours.isEqual(to: theirs) }
  func isEqual(to other: Animal) -> Bool { legs == other.legs }
}

/// Codes what it inherits below "super", as a subclass does that leaves the place to the coder.
final class Dog: Animal {
  var name: String

  init(legs: Int, name: String) {
    self.name = name
    super.init(legs: legs)
  }

  private enum CodingKeys: String, CodingKey { case name }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try super.encode(to: container.superEncoder())
  }

  override func isEqual(to other: Animal) -> Bool { super.isEqual(to: other) && (other as? Dog)?.name == name }
}

/// Adds to what it inherits, in one object.
final class Bird: Animal {
  var canFly: Bool

  init(canFly: Bool) {
    self.canFly = canFly
    super.init(legs: 2)
  }

  private enum CodingKeys: String, CodingKey { case canFly }

  required init(from decoder: any Decoder) throws {
    canFly = try decoder.container(keyedBy: CodingKeys.self).decode(Bool.self, forKey: .canFly)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(canFly, forKey: .canFly)
  }

  override func isEqual(to other: Animal) -> Bool { super.isEqual(to: other) && (other as? Bird)?.canFly == canFly }
}

/// A value that codes as its one property.
struct Wrapped: Codable, Hashable {
  var value: String

  init(_ value: String) { self.value = value }

  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(String.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

/// Nests every kind of container in every other by hand.
struct ByHand: Codable, Equatable {
  var x: Int
  var y: Double
  var names: [String]
  var address: Address
  var maybe: Int?

  enum Key: String, CodingKey { case position, names, extra, address }
  enum Axis: String, CodingKey { case x, y }

  init(x: Int, y: Double, names: [String], address: Address, maybe: Int?) {
    self.x = x
    self.y = y
    self.names = names
    self.address = address
    self.maybe = maybe
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let position = try container.nestedContainer(keyedBy: Axis.self, forKey: .position)
    x = try position.decode(Int.self, forKey: .x)
    var list = try container.nestedUnkeyedContainer(forKey: .extra)
    let axis = try list.nestedContainer(keyedBy: Axis.self)
    y = try axis.decode(Double.self, forKey: .y)
    maybe = try list.decodeNil() ? nil : list.decode(Int.self)
    var inner = try list.nestedUnkeyedContainer()
    names = []
    while !inner.isAtEnd { names.append(try inner.decode(String.self)) }
    address = try Address(from: container.superDecoder(forKey: .address))
    guard try Address(from: list.superDecoder()) == address, list.isAtEnd else {
      throw DecodingError.dataCorruptedError(in: list, debugDescription: "two addresses")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    var position = container.nestedContainer(keyedBy: Axis.self, forKey: .position)
    try position.encode(x, forKey: .x)
    var list = container.nestedUnkeyedContainer(forKey: .extra)
    var axis = list.nestedContainer(keyedBy: Axis.self)
    try axis.encode(y, forKey: .y)
    if let maybe { try list.encode(maybe) } else { try list.encodeNil() }
    var inner = list.nestedUnkeyedContainer()
    for name in names { try inner.encode(name) }
    try address.encode(to: container.superEncoder(forKey: .address))
    try address.encode(to: list.superEncoder())
  }
}

/// A value with another inside that it knows only by type parameter.
struct Pair<First: Codable & Equatable, Second: Codable & Equatable>: Codable, Equatable {
  var first: First
  var second: Second
}

extension Pair: Sendable where First: Sendable, Second: Sendable {}
