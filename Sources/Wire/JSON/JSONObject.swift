/// The members of a JSON object, each key once.
///
/// Keys are compared byte by byte, as RFC 8259 §8.3 has it: `é` in one character and `é` in two are two keys, though Swift
/// calls these strings equal. The order of the members means nothing.
public struct JSONObject: Equatable, Sendable {
  private var values: [ExactString: JSONValue] = [:]

  /// An object without members.
  public init() {}

  /// The value of the member `key`; nil if there is none.
  ///
  /// Setting it to nil takes the member away.
  ///
  /// - Parameter key: which member.
  public subscript(_ key: String) -> JSONValue? {
    get { values[ExactString(key)] }
    set { values[ExactString(key)] = newValue }
  }

  /// The keys of all members.
  public var keys: [String] { values.keys.map(\.string) }

  /// Takes a member away.
  ///
  /// - Parameter key: which member.
  /// - Returns: its value; nil if there was none.
  @discardableResult
  public mutating func removeValue(forKey key: String) -> JSONValue? { values.removeValue(forKey: ExactString(key)) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with these members; of two with one key, the last counts.
  ///
  /// - Parameter elements: the members.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension JSONObject: Collection {
  /// A place among the members, valid until one comes or goes.
  public struct Index: Comparable, Sendable {
    fileprivate let place: Dictionary<ExactString, JSONValue>.Index

    /// Whether one place comes before another.
    ///
    /// - Parameters:
    ///   - ours: the one.
    ///   - theirs: the other.
    /// - Returns: true if it does.
    public static func < (ours: Index, theirs: Index) -> Bool { ours.place < theirs.place }
  }

  /// The place of the first member.
  public var startIndex: Index { Index(place: values.startIndex) }
  /// The place after the last member.
  public var endIndex: Index { Index(place: values.endIndex) }
  /// How many members there are.
  public var count: Int { values.count }

  /// The place after another.
  ///
  /// - Parameter index: the place of a member.
  /// - Returns: the next one.
  public func index(after index: Index) -> Index { Index(place: values.index(after: index.place)) }

  /// The member at a place.
  ///
  /// - Parameter index: the place of a member.
  public subscript(index: Index) -> (key: String, value: JSONValue) {
    let (key, value) = values[index.place]
    return (key.string, value)
  }
}
