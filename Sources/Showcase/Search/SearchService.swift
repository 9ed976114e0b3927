/// Where ``Search`` finds what it searches for.
struct SearchService: Sendable {
  /// The catalogue does not answer.
  struct Failure: Error, CustomStringConvertible {
    var description: String { "The catalogue does not answer. Try again." }
  }

  /// Finds items by a part of their name; all of them by an empty text.
  let find: @Sendable (String) async throws -> [String]

  /// A catalogue that takes a second, and does not answer to `fail`.
  static func showcase(clock: any Clock<Duration>) -> SearchService {
    SearchService { text in
      try await clock.sleep(for: .seconds(1))
      guard text != "fail" else { throw Failure() }
      return items.filter { text.isEmpty || $0.lowercased().contains(text.lowercased()) }
    }
  }

  private static let items = [
    "Apple", "Apricot", "Avocado", "Banana", "Blackberry", "Blueberry", "Cherry", "Cranberry", "Date", "Elderberry",
    "Fig", "Grape", "Grapefruit", "Kiwi", "Lemon", "Lime", "Mango", "Melon", "Nectarine", "Orange", "Papaya", "Peach",
    "Pear", "Pineapple", "Plum", "Pomegranate", "Quince", "Raspberry", "Strawberry", "Watermelon",
  ]
}
