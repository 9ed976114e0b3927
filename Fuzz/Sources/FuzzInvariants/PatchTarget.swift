import Wire

// A patch does what a simpler reading of RFC 6902 does, or is refused where that refuses it, and then changes nothing. A
// pointer is written as it was read.

extension FuzzTarget {
  /// JSON Patch and JSON Pointer.
  static let patches = FuzzTarget(name: "patches") { bytes in
    if let pointer = try? JSONPointer(parsing: String(decoding: bytes, as: UTF8.self)) {
      try require(
        pointer.description.utf8.elementsEqual(String(decoding: bytes, as: UTF8.self).utf8),
        "\(String(decoding: bytes, as: UTF8.self)) is written as \(pointer)")
    }
    var input = FuzzInput(bytes)
    let document = JSONValue.make(from: &input, depth: 3)
    var operations: [PatchOperation] = []
    while !input.isEmpty, operations.count < 8 { operations.append(PatchOperation(from: &input)) }
    var ours = document
    let isApplied = (try? ours.apply(operations)) != nil
    let theirs = operations.reduce(document as JSONValue?) { $0?.applying($1) }
    if let theirs {
      try require(isApplied && ours == theirs, "\(operations) of \(document.text): \(ours.text) and not \(theirs.text)")
    } else {
      try require(!isApplied && ours == document, "\(operations) of \(document.text) is not refused: \(ours.text)")
    }
  }
}

/// Keys that are hard to put into a pointer, look the same, or may be indices.
private let keys = ["", "a", "b", "0", "1", "2", "-", "01", "~", "/", "~1", "\u{E9}", "e\u{301}", "10"]

extension JSONValue {
  fileprivate static func make(from input: inout FuzzInput, depth: Int) -> JSONValue {
    switch input.choice(below: depth > 0 ? 8 : 4) {
    case 0: return .null
    case 1: return .integer(Int64(input.choice(below: 3)))
    case 2: return .string(input.choice(of: keys))
    case 3: return .bool(true)
    case 4, 5: return .array(input.list(atMost: 3) { make(from: &$0, depth: depth - 1) })
    default:
      var members = JSONObject()
      for key in input.list(atMost: 3, { $0.choice(of: keys) }) { members[key] = make(from: &input, depth: depth - 1) }
      return .object(members)
    }
  }

  /// The value at a place.
  private func value(at tokens: ArraySlice<String>) -> JSONValue? {
    guard let token = tokens.first else { return self }
    switch self {
    case .object(let members): return members[token]?.value(at: tokens.dropFirst())
    case .array(let elements):
      guard let index = elements.indices.first(where: { "\($0)" == token }) else { return nil }
      return elements[index].value(at: tokens.dropFirst())
    default: return nil
    }
  }

  /// This value with another at a place: in the place of what is there, or before it, or without it.
  private func with(_ value: JSONValue?, at tokens: ArraySlice<String>, isInserted: Bool) -> JSONValue? {
    guard let token = tokens.first else { return value }
    let (rest, isLast) = (tokens.dropFirst(), tokens.count == 1)
    switch self {
    case .object(var members):
      if isLast {
        if !isInserted, members[token] == nil { return nil }
        members[token] = value
      } else {
        guard let child = members[token]?.with(value, at: rest, isInserted: isInserted) else { return nil }
        members[token] = child
      }
      return .object(members)
    case .array(let elements):
      if isLast, isInserted {
        let places = elements.indices.map { "\($0)" } + ["\(elements.count)"]
        guard let value, let index = token == "-" ? elements.count : places.firstIndex(of: token) else { return nil }
        return .array(elements[..<index] + [value] + elements[index...])
      }
      guard let index = elements.indices.first(where: { "\($0)" == token }) else { return nil }
      guard !isLast else { return .array(elements[..<index] + (value.map { [$0] } ?? []) + elements[(index + 1)...]) }
      guard let child = elements[index].with(value, at: rest, isInserted: isInserted) else { return nil }
      return .array(elements[..<index] + [child] + elements[(index + 1)...])
    default: return nil
    }
  }

  /// RFC 6902 §4, without a thought of what it costs.
  fileprivate func applying(_ operation: PatchOperation) -> JSONValue? {
    switch operation {
    case .add(let place, let value): with(value, at: place.tokens[...], isInserted: true)
    case .remove(let place): place.tokens.isEmpty ? nil : with(nil, at: place.tokens[...], isInserted: false)
    case .replace(let place, let value): with(value, at: place.tokens[...], isInserted: false)
    case .move(let from, let to):
      if from == to {
        value(at: from.tokens[...]) != nil && !from.tokens.isEmpty ? self : nil
      } else if to.tokens.map(ByteString.init).starts(with: from.tokens.map(ByteString.init)) {
        nil
      } else if let value = value(at: from.tokens[...]) {
        with(nil, at: from.tokens[...], isInserted: false)?.with(value, at: to.tokens[...], isInserted: true)
      } else {
        nil
      }
    }
  }
}

/// A string as its bytes.
private struct ByteString: Equatable {
  let bytes: [UInt8]
  init(_ string: String) { bytes = Array(string.utf8) }
}

extension PatchOperation {
  fileprivate init(from input: inout FuzzInput) {
    func place(_ input: inout FuzzInput) -> JSONPointer { JSONPointer(input.list(atMost: 3) { $0.choice(of: keys) }) }
    switch input.choice(below: 4) {
    case 0: self = .add(place(&input), .make(from: &input, depth: 1))
    case 1: self = .remove(place(&input))
    case 2: self = .replace(place(&input), .make(from: &input, depth: 1))
    default: self = .move(from: place(&input), to: place(&input))
    }
  }
}
