/// The members of a JSON object, with each key once.
///
/// Keys are compared byte by byte (RFC 8259 §8.3): `é` as one scalar and `é` as two are two keys, though Swift's `==`
/// calls these strings equal. The order of the members means nothing.
public struct JSONObject: Equatable, Sendable {
  private var values: [ExactString: JSONValue] = [:]

  /// An object without members.
  public init() {}

  /// The value of the member `key`; nil if there is none.
  ///
  /// Setting nil removes the member.
  public subscript(_ key: String) -> JSONValue? {
    get { values[ExactString(key)] }
    set { values[ExactString(key)] = newValue }
  }

  /// The keys of all members.
  public var keys: [String] { values.keys.map(\.string) }

  /// Removes a member, and returns its value; nil if there was none.
  @discardableResult
  public mutating func removeValue(forKey key: String) -> JSONValue? { values.removeValue(forKey: ExactString(key)) }
}

extension JSONObject: CustomStringConvertible, CustomReflectable {
  /// The object as compact JSON, with its members sorted.
  public var description: String { JSONValue.object(self).description }
  /// No parts: whoever prints the object prints it as JSON.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with these members; if several have one key, the last of them counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension JSONObject: Collection {
  /// A position among the members, valid until a member is added or removed.
  public struct Index: Comparable, Sendable {
    fileprivate let place: Dictionary<ExactString, JSONValue>.Index

    /// Whether one position comes before another.
    public static func < (ours: Index, theirs: Index) -> Bool { ours.place < theirs.place }
  }

  /// The position of the first member.
  public var startIndex: Index { Index(place: values.startIndex) }
  /// The position behind the last member.
  public var endIndex: Index { Index(place: values.endIndex) }
  /// How many members there are.
  public var count: Int { values.count }

  /// The position behind another one.
  public func index(after index: Index) -> Index { Index(place: values.index(after: index.place)) }

  /// The member at a position.
  public subscript(index: Index) -> (key: String, value: JSONValue) {
    let (key, value) = values[index.place]
    return (key.string, value)
  }
}
