import RibTestSupport

@testable import Wire

/// A type of view whose values can be made up and changed.
protocol RandomView: Encodable {
  static func random(using generator: inout SeededGenerator) -> Self
  /// A value not far from this one.
  func changed(using generator: inout SeededGenerator) -> Self
}

extension RandomView {
  func changed(using generator: inout SeededGenerator) -> Self { .random(using: &generator) }

  /// Mostly a small change, sometimes none, sometimes all of it.
  func next(using generator: inout SeededGenerator) -> Self {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: self
    case 1: .random(using: &generator)
    default: changed(using: &generator)
    }
  }
}

extension Int: RandomView {
  static func random(using generator: inout SeededGenerator) -> Int { random(in: -1...2, using: &generator) }
}

extension Double: RandomView {
  static func random(using generator: inout SeededGenerator) -> Double {
    [0, -0.0, 1, 0.1, -2.5e-7, 1e16].randomElement(using: &generator) ?? 0
  }
}

extension String: RandomView {}

extension Optional: RandomView where Wrapped: RandomView {
  static func random(using generator: inout SeededGenerator) -> Wrapped? {
    Bool.random(using: &generator) ? nil : Wrapped.random(using: &generator)
  }

  func changed(using generator: inout SeededGenerator) -> Wrapped? {
    self?.next(using: &generator) ?? .random(using: &generator)
  }
}

extension Array: RandomView where Element: RandomView {
  static func random(using generator: inout SeededGenerator) -> [Element] {
    (0..<Int.random(in: 0...4, using: &generator)).map { _ in .random(using: &generator) }
  }

  func changed(using generator: inout SeededGenerator) -> [Element] {
    var elements = self
    for _ in 0..<Int.random(in: 1...2, using: &generator) {
      let index = Int.random(in: 0...elements.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: elements.insert(.random(using: &generator), at: index)
      case 1 where index < elements.count: elements.remove(at: index)
      case 2 where index < elements.count: elements.swapAt(0, index)
      default: if index < elements.count { elements[index] = elements[index].next(using: &generator) }
      }
    }
    return elements
  }
}

extension Dictionary: RandomView where Key == String, Value: RandomView {
  static func random(using generator: inout SeededGenerator) -> [String: Value] {
    var members: [String: Value] = [:]
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      members[randomKey(using: &generator)] = Value.random(using: &generator)
    }
    return members
  }

  func changed(using generator: inout SeededGenerator) -> [String: Value] {
    var members = self
    // Sorted, as the order of a dictionary is another in every run.
    guard let key = members.keys.sorted().randomElement(using: &generator) else { return .random(using: &generator) }
    let value = members.removeValue(forKey: key)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: break
    case 1: members[Self.randomKey(using: &generator)] = value
    default: members[key] = value?.next(using: &generator)
    }
    return members
  }

  /// A key that is hard to put into a path, or is the same as another to Swift and not to a client.
  private static func randomKey(using generator: inout SeededGenerator) -> String {
    let keys = ["\u{E9}", "e\u{301}", "a", "b/c", "~d", "~\u{301}", "/\u{301}", "\u{301}/", ""]
    return keys.randomElement(using: &generator) ?? ""
  }
}

extension Address: RandomView {
  static func random(using generator: inout SeededGenerator) -> Address {
    Address(street: .random(using: &generator), number: .random(using: &generator))
  }

  func changed(using generator: inout SeededGenerator) -> Address {
    Address(street: street, number: number.next(using: &generator))
  }
}

extension Person: RandomView {
  static func random(using generator: inout SeededGenerator) -> Person {
    let friends = Int.random(in: 0..<3, using: &generator) == 0 ? [Person].random(using: &generator) : []
    return Person(
      name: .random(using: &generator), nickname: .random(using: &generator),
      age: .random(in: 0...2, using: &generator),
      tags: .random(using: &generator), address: .random(using: &generator), friends: friends)
  }

  func changed(using generator: inout SeededGenerator) -> Person {
    var person = self
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: person.name = name.next(using: &generator)
    case 1: person.nickname = nickname.next(using: &generator)
    case 2: person.tags = tags.next(using: &generator)
    case 3: person.address = address.next(using: &generator)
    default: person.friends = friends.next(using: &generator)
    }
    return person
  }
}

extension Screen: RandomView {
  static func random(using generator: inout SeededGenerator) -> Screen {
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: .empty
    case 1: .list(.random(using: &generator))
    case 2: .detail(id: .random(using: &generator), title: .random(using: &generator))
    case 3: .pair(.random(using: &generator), .random(using: &generator))
    case 4: .tab(Tab.allCases.randomElement(using: &generator) ?? .home)
    case 5: .optional(.random(using: &generator))
    default: .nested(.random(using: &generator), level: Bool.random(using: &generator) ? .low : .high)
    }
  }

  func changed(using generator: inout SeededGenerator) -> Screen {
    switch self {
    case .list(let list): .list(list.next(using: &generator))
    case .detail(let id, let title): .detail(id: id.next(using: &generator), title: title.next(using: &generator))
    case .nested(let screen, let level): .nested(screen.next(using: &generator), level: level)
    default: .random(using: &generator)
    }
  }
}

extension Tree: RandomView {
  static func random(using generator: inout SeededGenerator) -> Tree { random(levels: 12, using: &generator) }

  /// Every branch is two levels of JSON, of which a reader takes 64; a change may put one tree below another.
  private static func random(levels: Int, using generator: inout SeededGenerator) -> Tree {
    guard levels > 0, Int.random(in: 0..<5, using: &generator) >= 3 else { return .leaf(.random(using: &generator)) }
    let left = random(levels: levels - 1, using: &generator)
    return .branch(left: left, right: random(levels: levels - 1, using: &generator))
  }

  func changed(using generator: inout SeededGenerator) -> Tree {
    switch self {
    case .leaf(let value): .leaf(value.next(using: &generator))
    case .branch(let left, let right): .branch(left: left.next(using: &generator), right: right)
    }
  }
}

extension ByHand: RandomView {
  static func random(using generator: inout SeededGenerator) -> ByHand {
    ByHand(
      x: .random(using: &generator), y: .random(using: &generator), names: .random(using: &generator),
      address: .random(using: &generator), maybe: .random(using: &generator))
  }

  func changed(using generator: inout SeededGenerator) -> ByHand {
    var value = self
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: value.y = y.next(using: &generator)
    case 1: value.names = names.next(using: &generator)
    default: value.maybe = maybe.next(using: &generator)
    }
    return value
  }
}

extension Pair: RandomView where First: RandomView, Second: RandomView {
  static func random(using generator: inout SeededGenerator) -> Pair {
    Pair(first: .random(using: &generator), second: .random(using: &generator))
  }

  func changed(using generator: inout SeededGenerator) -> Pair {
    Bool.random(using: &generator)
      ? Pair(first: first.next(using: &generator), second: second)
      : Pair(first: first, second: second.next(using: &generator))
  }
}

/// A dog or a bird, so that what is encoded depends on the object and not on the static type.
struct AnyAnimal: RandomView {
  let animal: Animal

  func encode(to encoder: any Encoder) throws { try animal.encode(to: encoder) }

  static func random(using generator: inout SeededGenerator) -> AnyAnimal {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: AnyAnimal(animal: Animal(legs: .random(using: &generator)))
    case 1: AnyAnimal(animal: Dog(legs: .random(using: &generator), name: .random(using: &generator)))
    default: AnyAnimal(animal: Bird(canFly: .random(using: &generator)))
    }
  }
}
