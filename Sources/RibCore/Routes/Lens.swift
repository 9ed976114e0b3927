/// The way from a state to a part of it that may be missing.
struct Lens<Whole, Part> {
  /// The part; nil if it is missing.
  ///
  /// The hint is where in an array the part was found last. It is updated, and only saves time: any value is correct.
  let get: (_ whole: Whole, _ hint: inout Int) -> Part?
  /// Changes the part in place; the hint is as for ``get``.
  let change: (_ whole: inout Whole, _ hint: inout Int, (inout Part) -> Void) -> StateChange
  /// The bytes of the whole that hold the part, or the reference to it; nil if the part is computed, so that changing
  /// it may change anything.
  let extent: Range<Int>?

  /// The part, looked up without a hint; nil if it is missing.
  func read(_ whole: Whole) -> Part? {
    var hint = 0
    return get(whole, &hint)
  }
}

/// The bytes of a value that a stored property takes; nil if the property is computed or observed, or holds an object,
/// whose state changes without those bytes.
func extent<Whole, Part>(of path: KeyPath<Whole, Part>) -> Range<Int>? {
  Part.self is AnyObject.Type ? nil : MemoryLayout<Whole>.offset(of: path).map { $0..<($0 + MemoryLayout<Part>.size) }
}

extension Lens where Part == OwnState {
  /// Leads nowhere: for a child that owns its state.
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

  /// The value of an optional property.
  static func optional(_ path: WritableKeyPath<Whole, Part?>) -> Lens {
    Lens(
      get: { whole, _ in whole[keyPath: path] },
      change: { whole, _, change in Self.change(&whole[keyPath: path], change) },
      extent: RibCore.extent(of: path))
  }

  /// Changes an optional's value in one access to the property, which may be computed: its setter must not see a nil in
  /// between.
  private static func change(_ optional: inout Part?, _ change: (inout Part) -> Void) -> StateChange {
    // Taken out of the optional while it changes, so that nothing is copied.
    guard var part = optional.take() else { return .missing }
    change(&part)
    optional = part
    return .within
  }

  /// The payload of one case of an enum.
  static func enumCase<Enum>(
    _ path: WritableKeyPath<Whole, Enum>, _ extract: @escaping (Enum) -> Part?, _ embed: @escaping (Part) -> Enum
  ) -> Lens {
    Lens(
      get: { whole, _ in extract(whole[keyPath: path]) },
      change: { whole, _, change in
        guard var part = extract(whole[keyPath: path]) else { return .missing }
        change(&part)
        whole[keyPath: path] = embed(part)
        // The closures need not be inverse to each other: after a change the enum may be in another case.
        return extract(whole[keyPath: path]) == nil ? .identity : .within
      },
      extent: RibCore.extent(of: path))
  }
}

extension Lens {
  /// The same part, as long as `isIt` holds for it; missing otherwise.
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

/// A guess at where in an array the next element will be looked up, shared by the lenses of all elements of the array.
final class ElementSearch {
  private(set) var next = 0
  /// Whether several elements may have one id; then the first of them counts.
  var hasDuplicates = false
  /// Whether that was so at the last commit: the committed array is searched as well.
  private var hadDuplicates = false

  func didCommit() { hadDuplicates = hasDuplicates }

  /// The index of the first element with an id; nil if there is none.
  ///
  /// First the hint is tried, the index at which the element was found last. Elements seldom move, and mostly move
  /// together, so that the neighbours of the element that was found before this one come next.
  func place<Element: Identifiable>(of id: Element.ID, in elements: [Element], hint: Int) -> Int? {
    guard !hasDuplicates, !hadDuplicates else { return elements.firstIndex { $0.id == id } }
    func isAt(_ place: Int) -> Bool { place >= 0 && place < elements.count && elements[place].id == id }
    // If the element has moved: the index found last, by whichever lens, and the one behind it.
    let place =
      isAt(hint) ? hint : isAt(next - 1) ? next - 1 : isAt(next) ? next : elements.firstIndex { $0.id == id }
    if let place { next = place + 1 }
    return place
  }
}

extension Lens where Part: Identifiable {
  /// The element of an array with an id; the lenses of one array share the search.
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

/// A collection in a parent's state whose elements are the states of embedded children.
protocol StateElements<Element> {
  associatedtype Element: Identifiable
  var elements: [Element] { get }
  /// The index of the first element with an id; nil if there is none.
  func place(of id: Element.ID, hint: Int, _ search: ElementSearch) -> Int?
  /// Changes the element with an id in place.
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
