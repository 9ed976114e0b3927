import RibCore

/// Room for the page that is shown: there is always one, so that the back button takes none away.
struct PageInFront: RouteContainer, Codable {
  /// The page.
  private(set) var page: Page
  /// Counts the pages that were shown: each is a new child.
  private var count = 0

  /// Room for a page.
  init(_ page: Page) { self.page = page }

  /// Shows a page, unless it is shown already.
  mutating func show(_ page: Page) {
    guard self.page != page else { return }
    self.page = page
    count += 1
  }

  // A list: of a slot clients would think that going back empties it.
  var contents: RouteContents<Page> { RouteContents(kind: "list", [(key: count, config: page)]) }
}
