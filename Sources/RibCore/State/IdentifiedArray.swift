/// Elements in an order of their own, each found by its `id` in constant time: rows, messages, people.
///
/// The coding is that of an array. A view patches the array by identity, moved elements included, and a ``Route`` can
/// lead to it, with a child for each element.
///
///     state.messages.upsert(message)
///     state.messages[id: 7]?.text = "Changed"
///     state.messages.remove(id: 3)
///
/// Each `id` occurs once. An insertion or a removal takes time in proportion to the number of elements behind it, as in
/// an array.
public struct IdentifiedArray<Element: Identifiable> {
  /// The elements, in order.
  public private(set) var elements: [Element] = []
  /// The index of each element, by its `id`.
  private var places: [Element.ID: Int] = [:]

  /// An array of these elements; if several have one `id`, the last of them takes the place of the first.
  public init(_ elements: some Sequence<Element>) {
    for element in elements { upsert(element) }
  }

  /// An empty array.
  public init() {}

  // MARK: Single elements

  /// The index of the element with an `id`; nil if there is none.
  public func index(id: Element.ID) -> Int? { places[id] }

  /// The element with an `id`; nil if there is none.
  ///
  /// Setting nil removes the element. Setting an element under an `id` that is not there appends it. If a change gives
  /// an element the `id` of another one, the other is removed.
  public subscript(id id: Element.ID) -> Element? {
    get { places[id].map { elements[$0] } }
    _modify {
      guard let place = places[id] else {
        var new: Element?
        defer { if let new { upsert(new) } }
        yield &new
        return
      }
      // Taken out of the array while it changes, so that nothing is copied; the last element stands in its place
      // meanwhile.
      elements.swapAt(place, elements.count - 1)
      var element = elements.popLast()
      // Runs also if the change throws.
      defer {
        if let element {
          elements.append(element)
          elements.swapAt(place, elements.count - 1)
          if element.id != id { didChange(id, at: place) }
        } else {
          if place < elements.count { elements.append(elements.remove(at: place)) }
          places[id] = nil
          count(from: place)
        }
      }
      yield &element
    }
  }

  /// Replaces the element with the same `id`, or appends the element if there is none.
  public mutating func upsert(_ element: Element) {
    if let place = places[element.id] {
      elements[place] = element
    } else {
      places[element.id] = elements.count
      elements.append(element)
    }
  }

  /// Inserts an element at an index, unless there is one with its `id`.
  ///
  /// An index beyond the ends means the nearest end.
  ///
  /// - Returns: false if there was an element with this `id`.
  @discardableResult
  public mutating func insert(_ element: Element, at index: Int) -> Bool {
    guard places[element.id] == nil else { return false }
    let place = Swift.min(Swift.max(index, 0), elements.count)
    elements.insert(element, at: place)
    count(from: place)
    return true
  }

  /// Appends an element, unless there is one with its `id`; returns whether it was appended.
  @discardableResult
  public mutating func append(_ element: Element) -> Bool { insert(element, at: elements.count) }

  /// Removes and returns the element with an `id`; nil if there is none.
  @discardableResult
  public mutating func remove(id: Element.ID) -> Element? {
    guard let place = places.removeValue(forKey: id) else { return nil }
    defer { count(from: place) }
    return elements.remove(at: place)
  }

  /// Removes and returns the element at an index, which has to be that of an element.
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    let element = elements.remove(at: index)
    places[element.id] = nil
    count(from: index)
    return element
  }

  /// Removes as many elements from the front as are wanted and there are: for a list that keeps the newest.
  public mutating func removeFirst(_ number: Int = 1) {
    elements.removeFirst(Swift.min(Swift.max(number, 0), elements.count))
    recount()
  }

  /// Moves the element with an `id` to an index, or to the nearest end; does nothing if there is none.
  public mutating func move(id: Element.ID, to index: Int) {
    guard let place = places[id] else { return }
    let element = elements.remove(at: place)
    let target = Swift.min(Swift.max(index, 0), elements.count)
    elements.insert(element, at: target)
    count(from: Swift.min(place, target))
  }

  // MARK: All of them

  /// Removes the elements for which `isGone` returns true.
  public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
    defer { recount() }
    try elements.removeAll(where: isGone)
  }

  /// The elements that satisfy a condition, in their order.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> IdentifiedArray {
    var result = IdentifiedArray()
    for element in elements where try isIncluded(element) { result.append(element) }
    return result
  }

  /// Sorts the elements; those of which neither is before the other keep their order.
  public mutating func sort(by isBefore: (Element, Element) throws -> Bool) rethrows {
    defer { recount() }
    try elements.sort(by: isBefore)
  }

  /// Lets a child change the element that is the child's state.
  ///
  /// - Returns: ``StateChange/identity`` if the element has another `id` now, ``StateChange/missing`` if there is none.
  mutating func change(_ id: Element.ID, _ body: (inout Element) -> Void) -> StateChange {
    guard let place = places[id] else { return .missing }
    body(&elements[place])
    guard elements[place].id != id else { return .within }
    didChange(id, at: place)
    return .identity
  }

  // MARK: Places

  /// Updates the indices after an element has got another `id`, and removes a second element with that `id`.
  private mutating func didChange(_ id: Element.ID, at place: Int) {
    places[id] = nil
    if let other = places[elements[place].id] { elements.remove(at: other) }
    recount()
  }

  private mutating func recount() {
    places.removeAll(keepingCapacity: true)
    count(from: 0)
  }

  private mutating func count(from start: Int) {
    for place in start..<elements.count { places[elements[place].id] = place }
  }
}

extension IdentifiedArray: RandomAccessCollection {
  /// The first place.
  public var startIndex: Int { 0 }
  /// The place behind the last.
  public var endIndex: Int { elements.count }
  /// The element at a place.
  public subscript(position: Int) -> Element { elements[position] }
}

extension IdentifiedArray: ExpressibleByArrayLiteral {
  /// An array of these elements; if several have one `id`, the last of them takes the place of the first.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension IdentifiedArray: Equatable where Element: Equatable {
  /// Whether both have equal elements in one order.
  public static func == (ours: IdentifiedArray, theirs: IdentifiedArray) -> Bool { ours.elements == theirs.elements }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  /// Hashes the elements in their order.
  ///
  /// - Parameter hasher: takes them.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension IdentifiedArray: Sendable where Element: Sendable, Element.ID: Sendable {}

extension IdentifiedArray: Encodable where Element: Encodable {
  /// Writes the elements as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(elements)
  }
}

extension IdentifiedArray: Decodable where Element: Decodable {
  /// Reads an array.
  ///
  /// - Throws: `DecodingError`, also if two elements have one `id`.
  public init(from decoder: any Decoder) throws {
    let elements = try decoder.singleValueContainer().decode([Element].self)
    self.init(elements)
    guard count == elements.count else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "Two elements have one id."))
    }
  }
}
