/// The way from a state to a part of it that may not be there.
struct Lens<Whole, Part> {
  /// The part; nil if it is not there.
  ///
  /// The hint says where it was last time.
  let get: (_ whole: Whole, _ hint: inout Int) -> Part?
  /// Lets the part be changed in place.
  let change: (_ whole: inout Whole, _ hint: inout Int, (inout Part) -> Void) -> StateChange
  /// Which bytes of the whole hold the part, or refer to it; nil if it is computed, and a change of it may be a change of
  /// anything.
  let extent: Range<Int>?

  /// The part, wherever it is; nil if it is not there.
  func read(_ whole: Whole) -> Part? {
    var hint = 0
    return get(whole, &hint)
  }
}

/// The bytes of a value that a stored property takes; nil if the property is computed or observed, or an object, which changes
/// behind its reference.
func extent<Whole, Part>(of path: KeyPath<Whole, Part>) -> Range<Int>? {
  Part.self is AnyObject.Type ? nil : MemoryLayout<Whole>.offset(of: path).map { $0..<($0 + MemoryLayout<Part>.size) }
}

extension Lens where Part == OwnState {
  /// No way: the state is no part of another one.
  static var none: Lens { Lens(get: { _, _ in nil }, change: { _, _, _ in .missing }, extent: nil) }
}

extension Lens {
  /// A part that is always there.
  static func property(_ path: WritableKeyPath<Whole, Part>) -> Lens {
    Lens(
      get: { whole, _ in whole[keyPath: path] },
      change: { whole, _, change in
        change(&whole[keyPath: path])
        return .within
      },
      extent: RibCore.extent(of: path))
  }

  /// What an optional property holds.
  static func optional(_ path: WritableKeyPath<Whole, Part?>) -> Lens {
    Lens(
      get: { whole, _ in whole[keyPath: path] },
      change: { whole, _, change in Self.change(&whole[keyPath: path], change) },
      extent: RibCore.extent(of: path))
  }

  /// One access to the property, which may be computed: it is never set to nil in between.
  private static func change(_ optional: inout Part?, _ change: (inout Part) -> Void) -> StateChange {
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
      get: { whole, _ in extract(whole[keyPath: path]) },
      change: { whole, _, change in
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
      get: { [get] whole, hint in get(whole, &hint).flatMap { isIt($0) ? $0 : nil } },
      change: { [get, change] whole, hint, body in
        guard let part = get(whole, &hint), isIt(part) else { return .missing }
        let result = change(&whole, &hint, body)
        return get(whole, &hint).map(isIt) == true ? result : .identity
      },
      extent: extent)
  }
}

/// Where in an array the next element will probably be looked for: shared by all who look for elements of one array.
final class ElementSearch {
  private(set) var next = 0
  /// Whether an id may be that of several elements, of which the first counts.
  var hasDuplicates = false

  /// The place of the first element with an id.
  ///
  /// - Parameters:
  ///   - id: the element's.
  ///   - elements: all of them.
  ///   - hint: where it was last time; elements move rarely, and if they do then together.
  /// - Returns: nil if there is none.
  func place<Element: Identifiable>(of id: Element.ID, in elements: [Element], hint: Int) -> Int? {
    guard !hasDuplicates else { return elements.firstIndex { $0.id == id } }
    func isAt(_ place: Int) -> Bool { elements.indices.contains(place) && elements[place].id == id }
    // The last one that was found is looked for once more, then the one behind it.
    let place =
      isAt(hint) ? hint : isAt(next - 1) ? next - 1 : isAt(next) ? next : elements.firstIndex { $0.id == id }
    if let place { next = place + 1 }
    return place
  }
}

extension Lens where Part: Identifiable {
  /// The element of an array with this id.
  ///
  /// - Parameters:
  ///   - path: where the array is.
  ///   - id: the element's.
  ///   - search: shared by the lenses of one array.
  /// - Returns: the way.
  static func element<Parts: StateElements<Part>>(
    _ path: WritableKeyPath<Whole, Parts>, _ id: Part.ID, _ search: ElementSearch
  ) -> Lens {
    Lens(
      get: { whole, hint in
        let parts = whole[keyPath: path]
        guard let place = parts.place(of: id, hint: hint, search) else { return nil }
        hint = place
        return parts.elements[place]
      },
      change: { whole, hint, body in whole[keyPath: path].change(id, &hint, search, body) },
      extent: RibCore.extent(of: path))
  }
}

/// A collection in a state whose elements are the states of children.
protocol StateElements<Element> {
  associatedtype Element: Identifiable
  var elements: [Element] { get }
  /// The place of the first element with an id.
  func place(of id: Element.ID, hint: Int, _ search: ElementSearch) -> Int?
  /// Lets an element be changed in place.
  mutating func change(
    _ id: Element.ID, _ hint: inout Int, _ search: ElementSearch, _ body: (inout Element) -> Void
  ) -> StateChange
}

extension Array: StateElements where Element: Identifiable {
  var elements: [Element] { self }

  func place(of id: Element.ID, hint: Int, _ search: ElementSearch) -> Int? {
    search.place(of: id, in: self, hint: hint)
  }

  mutating func change(
    _ id: Element.ID, _ hint: inout Int, _ search: ElementSearch, _ body: (inout Element) -> Void
  ) -> StateChange {
    guard let place = place(of: id, hint: hint, search) else { return .missing }
    hint = place
    body(&self[place])
    return self[place].id == id ? .within : .identity
  }
}

extension IdentifiedArray: StateElements {
  func place(of id: Element.ID, hint: Int, _ search: ElementSearch) -> Int? { index(id: id) }

  mutating func change(
    _ id: Element.ID, _ hint: inout Int, _ search: ElementSearch, _ body: (inout Element) -> Void
  ) -> StateChange { change(id, body) }
}
