/// Choices that the bytes of an input make; when they are used up, the first ones.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  /// A number below `count`.
  mutating func choice(below count: Int) -> Int { Int(rest.popFirst() ?? 0) % count }

  /// One of a row.
  mutating func choice<Element>(of elements: [Element]) -> Element { elements[choice(below: elements.count)] }

  /// Some things, few or none.
  mutating func list<Element>(atMost count: Int, _ make: (inout FuzzInput) -> Element) -> [Element] {
    (0..<choice(below: count + 1)).map { _ in make(&self) }
  }
}
