// The feature of the article "Styles", in the style of RIV.
import RibCore
import RibRIV
import RibServer

enum SearchAction: Decodable { case textChanged(String), submitTapped }

struct SearchDomain: Codable {
  var text = ""
  var hits = Status<[String]>.idle
}

final class SearchInteractor: BaseInteractor<SearchAction, SearchDomain> {
  private let find: @Sendable (String) async throws -> [String]

  init(find: @escaping @Sendable (String) async throws -> [String]) {
    self.find = find
    super.init(initialDomain: SearchDomain())
  }

  override func interact(with action: SearchAction) {
    switch action {
    case .textChanged(let text): updateDomain { $0.text = text }
    case .submitTapped:
      updateDomain { $0.hits = .loading }
      updateDomain(id: "search") { [find] domain in
        guard let hits = try? await find(domain.text) else { return { $0.hits = .failed("No answer.") } }
        return { $0.hits = .loaded(hits) }
      }
    }
  }
}

struct SearchViewState: Encodable, Equatable {
  let text: String
  let hits: Status<[String]>
}

struct SearchReducer: Reducing {
  static let typeName = "Search"

  func reduce(from domain: SearchDomain) -> SearchViewState {
    SearchViewState(text: domain.text, hits: domain.hits)
  }
}

let app = App("search") {
  Feature(interactor: SearchInteractor { text in [text] }, reducer: SearchReducer())
}
