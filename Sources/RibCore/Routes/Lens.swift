/// The way from a state to a part of it that may not be there.
struct Lens<Whole, Part> {
  /// The part; nil if it is not there.
  let read: (Whole) -> Part?
  /// Lets the part be changed in place.
  let modify: (inout Whole, (inout Part) -> Void) -> StateChange
  /// Which bytes of the whole hold the part, or refer to it; nil if it is computed, and a change of it may be a change of
  /// anything.
  let extent: Range<Int>?
}

/// The bytes of a value that a stored property takes; nil if the property is computed or observed.
func extent<Whole, Part>(of path: KeyPath<Whole, Part>) -> Range<Int>? {
  MemoryLayout<Whole>.offset(of: path).map { $0..<($0 + MemoryLayout<Part>.size) }
}

extension Lens {
  /// A part that is always there.
  static func property(_ path: WritableKeyPath<Whole, Part>) -> Lens {
    Lens(
      read: { $0[keyPath: path] },
      modify: { whole, change in
        change(&whole[keyPath: path])
        return .within
      },
      extent: RibCore.extent(of: path))
  }

  /// What an optional property holds.
  static func optional(_ path: WritableKeyPath<Whole, Part?>) -> Lens {
    Lens(
      read: { $0[keyPath: path] },
      modify: { whole, change in modify(&whole[keyPath: path], change) },
      extent: RibCore.extent(of: path))
  }

  /// One access to the property, which may be computed: it is never set to nil in between.
  private static func modify(_ optional: inout Part?, _ change: (inout Part) -> Void) -> StateChange {
    // Taken out while it changes, so that nothing is copied.
    guard var part = optional.take() else { return .missing }
    change(&part)
    optional = part
    return .within
  }

  /// The payload of an enum's case.
  static func enumCase<Enum>(
    _ path: WritableKeyPath<Whole, Enum>, _ extract: @escaping (Enum) -> Part?, _ embed: @escaping (Part) -> Enum
  ) -> Lens {
    Lens(
      read: { extract($0[keyPath: path]) },
      modify: { whole, change in
        guard var part = extract(whole[keyPath: path]) else { return .missing }
        change(&part)
        whole[keyPath: path] = embed(part)
        // The closures may say what they like: a part that has counted to three may be in another case.
        return extract(whole[keyPath: path]) == nil ? .identity : .within
      },
      extent: RibCore.extent(of: path))
  }
}

extension Lens {
  /// The part as long as it is a certain one.
  func only(_ isIt: @escaping (Part) -> Bool) -> Lens {
    Lens(
      read: { [read] in read($0).flatMap { isIt($0) ? $0 : nil } },
      modify: { [read, modify] whole, change in
        guard let part = read(whole), isIt(part) else { return .missing }
        let result = modify(&whole, change)
        return read(whole).map(isIt) == true ? result : .identity
      },
      extent: extent)
  }
}

/// Where in an array the next element will probably be looked for.
final class ElementSearch {
  var next = 0
}

extension Lens where Part: Identifiable {
  /// The element of an array with this id.
  ///
  /// - Parameters:
  ///   - path: where the array is.
  ///   - id: the element's.
  ///   - search: shared by the lenses of one array.
  /// - Returns: the way.
  static func element(_ path: WritableKeyPath<Whole, [Part]>, _ id: Part.ID, _ search: ElementSearch) -> Lens {
    // Where it was last time, as elements move rarely; at first, behind the one that was looked for before it.
    var hint: Int?
    func index(_ elements: [Part]) -> Int? {
      let guess = hint ?? search.next
      if elements.indices.contains(guess), elements[guess].id == id {
        hint = guess
      } else {
        hint = elements.firstIndex { $0.id == id }
      }
      if let hint { search.next = hint + 1 }
      return hint
    }
    func modify(_ elements: inout [Part], _ change: (inout Part) -> Void) -> StateChange {
      guard let index = index(elements) else { return .missing }
      change(&elements[index])
      return elements[index].id == id ? .within : .identity
    }
    return Lens(
      read: {
        let elements = $0[keyPath: path]
        return index(elements).map { elements[$0] }
      },
      modify: { whole, change in modify(&whole[keyPath: path], change) },
      extent: RibCore.extent(of: path))
  }
}
