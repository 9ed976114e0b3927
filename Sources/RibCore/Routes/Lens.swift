/// The way from a state to a part of it that may not be there.
struct Lens<Whole, Part> {
  /// The part; nil if it is not there.
  let read: (Whole) -> Part?
  /// Lets the part be changed in place.
  ///
  /// - Returns: false if it is not there.
  let modify: (inout Whole, (inout Part) -> Void) -> Bool
}

extension Lens {
  /// A part that is always there.
  static func property(_ path: WritableKeyPath<Whole, Part>) -> Lens {
    Lens {
      $0[keyPath: path]
    } modify: { whole, change in
      change(&whole[keyPath: path])
      return true
    }
  }

  /// What an optional property holds.
  static func optional(_ path: WritableKeyPath<Whole, Part?>) -> Lens {
    Lens {
      $0[keyPath: path]
    } modify: { whole, change in
      modify(&whole[keyPath: path], change)
    }
  }

  /// One access to the property, which may be computed: it is never set to nil in between.
  private static func modify(_ optional: inout Part?, _ change: (inout Part) -> Void) -> Bool {
    // Taken out while it changes, so that nothing is copied.
    guard var part = optional.take() else { return false }
    change(&part)
    optional = part
    return true
  }

  /// The payload of an enum's case.
  static func enumCase<Enum>(
    _ path: WritableKeyPath<Whole, Enum>, _ extract: @escaping (Enum) -> Part?, _ embed: @escaping (Part) -> Enum
  ) -> Lens {
    Lens {
      extract($0[keyPath: path])
    } modify: { whole, change in
      guard var part = extract(whole[keyPath: path]) else { return false }
      change(&part)
      whole[keyPath: path] = embed(part)
      return true
    }
  }
}

extension Lens {
  /// The part as long as it is a certain one.
  func only(_ isIt: @escaping (Part) -> Bool) -> Lens {
    Lens { [read] in
      read($0).flatMap { isIt($0) ? $0 : nil }
    } modify: { [read, modify] whole, change in
      guard let part = read(whole), isIt(part) else { return false }
      return modify(&whole, change)
    }
  }
}

extension Lens where Part: Identifiable {
  /// The element of an array with this id.
  static func element(_ path: WritableKeyPath<Whole, [Part]>, _ id: Part.ID) -> Lens {
    // Where it was last time, as elements move rarely.
    var hint = 0
    func index(_ elements: [Part]) -> Int? {
      if elements.indices.contains(hint), elements[hint].id == id { return hint }
      guard let index = elements.firstIndex(where: { $0.id == id }) else { return nil }
      hint = index
      return index
    }
    return Lens {
      let elements = $0[keyPath: path]
      return index(elements).map { elements[$0] }
    } modify: { whole, change in
      guard let index = index(whole[keyPath: path]) else { return false }
      change(&whole[keyPath: path][index])
      return true
    }
  }
}
