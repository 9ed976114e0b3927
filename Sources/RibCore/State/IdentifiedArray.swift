/// Elements in an order of their own, each found by its `id` in constant time: rows, messages, people.
///
/// It is coded as an array is, and in a view it is patched as one: by identity, whatever has moved. A ``Route`` can lead to it,
/// with a child for each element.
///
///     state.messages.upsert(message)
///     state.messages[id: 7]?.text = "Changed"
///     state.messages.remove(id: 3)
///
/// There is one element with an `id`. Insertions and removals in the middle take time in proportion to what is behind them, as
/// in an array.
public struct IdentifiedArray<Element: Identifiable> {
  /// The elements, in order.
  public private(set) var elements: [Element] = []
  /// The place of each of them.
  private var places: [Element.ID: Int] = [:]

  /// Elements; of several with one `id`, the last takes the place of the first.
  ///
  /// - Parameter elements: the elements, in order.
  public init(_ elements: some Sequence<Element>) {
    for element in elements { upsert(element) }
  }

  /// No elements.
  public init() {}

  // MARK: Single elements

  /// The place of an element; nil if there is none with this `id`.
  ///
  /// - Parameter id: of the element.
  /// - Returns: its place, counted from 0.
  public func index(id: Element.ID) -> Int? { places[id] }

  /// The element with an `id`; nil if there is none.
  ///
  /// Set to nil, it is removed; set to an element where there is none, that one is added at the end. An element that gets the `id`
  /// of another takes that one away.
  ///
  /// - Parameter id: of the element.
  public subscript(id id: Element.ID) -> Element? {
    get { places[id].map { elements[$0] } }
    _modify {
      guard let place = places[id] else {
        var new: Element?
        defer { if let new { upsert(new) } }
        yield &new
        return
      }
      // Taken out while it changes, so that nothing of it is copied; the last one stands at its place meanwhile.
      elements.swapAt(place, elements.count - 1)
      var element = elements.popLast()
      // Also after a change that throws.
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

  /// Puts an element in the place of the one with its `id`, or at the end if there is none.
  ///
  /// - Parameter element: the element.
  public mutating func upsert(_ element: Element) {
    if let place = places[element.id] {
      elements[place] = element
    } else {
      places[element.id] = elements.count
      elements.append(element)
    }
  }

  /// Inserts an element, unless there is one with its `id`.
  ///
  /// - Parameters:
  ///   - element: the element.
  ///   - index: its place, held to the ends.
  /// - Returns: whether it was inserted.
  @discardableResult
  public mutating func insert(_ element: Element, at index: Int) -> Bool {
    guard places[element.id] == nil else { return false }
    let place = Swift.min(Swift.max(index, 0), elements.count)
    elements.insert(element, at: place)
    count(from: place)
    return true
  }

  /// Adds an element at the end, unless there is one with its `id`.
  ///
  /// - Parameter element: the element.
  /// - Returns: whether it was added.
  @discardableResult
  public mutating func append(_ element: Element) -> Bool { insert(element, at: elements.count) }

  /// Removes an element.
  ///
  /// - Parameter id: of the element.
  /// - Returns: the element; nil if there is none.
  @discardableResult
  public mutating func remove(id: Element.ID) -> Element? {
    guard let place = places.removeValue(forKey: id) else { return nil }
    defer { count(from: place) }
    return elements.remove(at: place)
  }

  /// Removes the element at a place.
  ///
  /// - Parameter index: its place, counted from 0; there has to be an element.
  /// - Returns: the element.
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    let element = elements.remove(at: index)
    places[element.id] = nil
    count(from: index)
    return element
  }

  /// Removes the first elements: of a list that keeps the newest.
  ///
  /// - Parameter number: how many, of as many as there are; 1 unless given.
  public mutating func removeFirst(_ number: Int = 1) {
    elements.removeFirst(Swift.min(Swift.max(number, 0), elements.count))
    recount()
  }

  /// Moves an element, as it is.
  ///
  /// - Parameters:
  ///   - id: of the element; nothing happens if there is none.
  ///   - index: its place afterwards, held to the ends.
  public mutating func move(id: Element.ID, to index: Int) {
    guard let place = places[id] else { return }
    let element = elements.remove(at: place)
    let target = Swift.min(Swift.max(index, 0), elements.count)
    elements.insert(element, at: target)
    count(from: Swift.min(place, target))
  }

  // MARK: All of them

  /// Removes elements.
  ///
  /// - Parameter isGone: whether to remove an element.
  public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
    defer { recount() }
    try elements.removeAll(where: isGone)
  }

  /// The elements that a condition holds for, in their order.
  ///
  /// - Parameter isIncluded: the condition.
  /// - Returns: those elements.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> IdentifiedArray {
    var result = IdentifiedArray()
    for element in elements where try isIncluded(element) { result.append(element) }
    return result
  }

  /// Puts the elements in order; those that are neither before nor behind one another keep theirs.
  ///
  /// - Parameter isBefore: whether one is before another.
  public mutating func sort(by isBefore: (Element, Element) throws -> Bool) rethrows {
    defer { recount() }
    try elements.sort(by: isBefore)
  }

  /// Changes the element at a place, as a child whose state it is does.
  ///
  /// - Returns: whether it is the same one still.
  mutating func change(_ id: Element.ID, _ body: (inout Element) -> Void) -> StateChange {
    guard let place = places[id] else { return .missing }
    body(&elements[place])
    guard elements[place].id != id else { return .within }
    didChange(id, at: place)
    return .identity
  }

  // MARK: Places

  /// Takes note that an element has another `id`, which may be one that there was.
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
  /// Elements; of several with one `id`, the last takes the place of the first.
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
  /// Writes an array.
  ///
  /// - Parameter encoder: where to.
  /// - Throws: what an element throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(elements)
  }
}

extension IdentifiedArray: Decodable where Element: Decodable {
  /// Reads an array.
  ///
  /// - Parameter decoder: where it is.
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
