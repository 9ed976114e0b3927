import Wire

// The patch between two view states makes the second of the first.

extension FuzzTarget {
  /// Differences of view states.
  static let differences = FuzzTarget(name: "differences") { bytes in
    var input = FuzzInput(bytes)
    let encoder = ViewEncoder()
    var old = Screen(from: &input, depth: 2)
    repeat {
      let new = input.choice(below: 3) == 0 ? Screen(from: &input, depth: 2) : old.changed(by: &input)
      var patch = PatchWriter()
      try requireSuccess("\(old) to \(new)") { try encoder.writeDifference(from: old, to: new, into: &patch) }
      let text = "[\(String(decoding: patch.json.bytes, as: UTF8.self))]"
      var document = try value(of: old, encoder)
      try requireSuccess("\(text) does not apply to \(document.text)") {
        var reader = JSONReader()
        try document.apply(reader.read(text).root.elements.map { try PatchOperation($0) })
      }
      let target = try value(of: new, encoder)
      try require(
        document.text.utf8.elementsEqual(target.text.utf8), "\(text): \(document.text) and not \(target.text)")
      old = new
    } while !input.isEmpty
  }

  private static func value(of view: Screen, _ encoder: ViewEncoder) throws -> JSONValue {
    var json = JSONWriter()
    return try requireSuccess("\(view) is not written") {
      try encoder.write(view, into: &json)
      return try JSONValue(parsing: String(decoding: json.bytes, as: UTF8.self))
    }
  }
}

/// A view state with a property of every kind that is told apart.
private struct Screen: Encodable {
  struct Row: Encodable, Identifiable {
    var id: Int
    var isDone: Bool
    var title: String
  }

  indirect enum Place: Encodable {
    case home
    case detail(Int, title: String?)
    case list([String])
    case screen(Screen)
  }

  var title: String
  var count: Int
  var ratio: Double
  var note: String?
  var words: [String]
  var numbers: [Int]
  var rows: [Row]
  var members: [String: Int?]
  var places: [Place]
  var grid: [[Double]]
  var byNumber: [Int: Row]
  var tags: Set<String>

  private static let strings = [
    "", "a", "b", "\u{E9}", "e\u{301}", "~/", "\"\\\n", "\u{1F600}", "a long text, so that it is no small string",
  ]

  init(from input: inout FuzzInput, depth: Int) {
    title = input.choice(of: Self.strings)
    count = input.choice(below: 4) - 1
    ratio = input.choice(of: [0, -0.0, 1, 0.1, 1e300])
    note = input.choice(below: 2) == 0 ? nil : input.choice(of: Self.strings)
    words = input.list(atMost: 5) { $0.choice(of: Self.strings) }
    numbers = input.list(atMost: 6) { $0.choice(below: 5) }
    rows = input.list(atMost: 6) { Row(from: &$0) }
    members = [:]
    for key in input.list(atMost: 3, { $0.choice(of: Self.strings) }) {
      members[key] = .some(input.choice(of: [nil, 0, 1]))
    }
    places = input.list(atMost: 3) { Place(from: &$0, depth: depth) }
    grid = input.list(atMost: 3) { $0.list(atMost: 3) { Double($0.choice(below: 3)) } }
    byNumber = [:]
    for key in input.list(atMost: 3, { $0.choice(below: 4) }) { byNumber[key] = Row(from: &input) }
    tags = Set(input.list(atMost: 3) { $0.choice(of: Self.strings) })
  }

  /// A view state that is not far from this one.
  func changed(by input: inout FuzzInput) -> Screen {
    var screen = self
    switch input.choice(below: 12) {
    case 0: screen.title = input.choice(of: Self.strings)
    case 1: screen.count += 1
    case 2: screen.note = nil
    case 3: screen.words.change(by: &input) { $0.choice(of: Self.strings) }
    case 4: screen.numbers.change(by: &input) { $0.choice(below: 5) }
    case 5, 6: screen.rows.change(by: &input) { Row(from: &$0) }
    case 7: screen.members[input.choice(of: Self.strings)] = .some(1)
    case 8: screen.places.change(by: &input) { Place(from: &$0, depth: 1) }
    case 9: screen.grid.change(by: &input) { [Double($0.choice(below: 3))] }
    case 10: screen.byNumber[input.choice(below: 4)] = nil
    default: screen.tags.insert(input.choice(of: Self.strings))
    }
    return screen
  }
}

extension Screen.Row {
  fileprivate init(from input: inout FuzzInput) {
    id = input.choice(below: 7)
    isDone = input.choice(below: 2) == 0
    title = input.choice(of: ["", "x", "e\u{301}"])
  }
}

extension Screen.Place {
  fileprivate init(from input: inout FuzzInput, depth: Int) {
    switch input.choice(below: depth > 0 ? 4 : 3) {
    case 0: self = .home
    case 1: self = .detail(input.choice(below: 2), title: input.choice(of: [nil, "t"]))
    case 2: self = .list(input.list(atMost: 2) { $0.choice(of: ["", "x"]) })
    default: self = .screen(Screen(from: &input, depth: depth - 1))
    }
  }
}

extension Array {
  /// Puts in, takes out, swaps or replaces an element.
  fileprivate mutating func change(by input: inout FuzzInput, _ make: (inout FuzzInput) -> Element) {
    let index = input.choice(below: count + 1)
    switch input.choice(below: 4) {
    case 0 where index < count: remove(at: index)
    case 1 where index < count: swapAt(index, input.choice(below: count))
    case 2 where index < count: self[index] = make(&input)
    default: insert(make(&input), at: index)
    }
  }
}
