// The riblets of the article "Roles".
import RibCore

// Home's interface.

struct HomeConfig: Hashable, Codable { let userName: String }
enum HomeOutput { case closed }

protocol HomeDependency { var imageLimit: Int { get } }

// Home.swift

struct Home: Riblet {
  static let typeName = "Home"
  let config: HomeConfig
  let component: HomeComponent
}

// Home+Interactor.swift

extension Home: Interactor {
  struct State: Codable {
    var visits = 0
    var detail = Slot<Int>()
  }
  enum ViewAction: Decodable { case detailTapped, closeTapped }
  enum InternalAction { case detail(Detail.Output) }
  typealias Output = HomeOutput

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .detailTapped:
      state.visits += 1
      state.detail.attach(state.visits)
    case .closeTapped: return .output(.closed)
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .detail(.closed): state.detail.detach()
    }
    return .none
  }
}

// Home+Presenter.swift

extension Home: Presenter {
  struct ViewState: Encodable, Equatable { let greeting: String }

  func view(_ state: State) -> ViewState { ViewState(greeting: "Hello, \(config.userName)") }
}

// Home+Router.swift

extension Home: Router {
  var routes: [Route<Self>] {
    [
      Route("detail", \.detail) { [component] visit in
        Child(Detail(visit: visit, images: component.images)) { .detail($0) }
      }
    ]
  }
}

// HomeBuilder.swift

final class ImageCache {
  let limit: Int
  init(limit: Int) { self.limit = limit }
}

final class HomeComponent: Component<any HomeDependency> {
  var images: ImageCache { shared { ImageCache(limit: dependency.imageLimit) } }
}

struct HomeBuilder: Builder {
  let dependency: any HomeDependency

  func build(_ config: HomeConfig) -> any Riblet<HomeOutput> {
    Home(config: config, component: HomeComponent(dependency: dependency))
  }
}

struct Detail: Riblet {
  static let typeName = "Detail"
  enum ViewAction: Decodable { case closeTapped }
  enum Output { case closed }
  struct ViewState: Encodable, Equatable { let visit: Int }

  let visit: Int
  let images: ImageCache

  func makeState() -> Int { visit }
  func reduce(into visit: inout Int, viewAction: ViewAction) -> Effect<Self> { .output(.closed) }
  func view(_ visit: Int) -> ViewState { ViewState(visit: visit) }
}

// A class, which knows home's interface only.

final class AppRoot: Riblet {
  static let typeName = "AppRoot"
  struct State: Codable { var home = Slot(HomeConfig(userName: "Ada")) }
  enum ViewAction: Decodable { case homeTapped }
  enum InternalAction { case home(HomeOutput) }
  struct ViewState: Encodable, Equatable { let isHome: Bool }

  private let home: any Builder<HomeConfig, HomeOutput>

  init(home: any Builder<HomeConfig, HomeOutput>) { self.home = home }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<AppRoot> {
    state.home.attach(HomeConfig(userName: "Ada"))
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<AppRoot> {
    switch internalAction {
    case .home(.closed): state.home.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(isHome: state.home.config != nil) }

  var routes: [Route<AppRoot>] {
    [
      Route("home", \.home) { [home] config in Child(home.build(config)) { .home($0) } }
    ]
  }
}

// A riblet without a view.

struct SignIn: ViewlessRiblet {
  static let typeName = "SignIn"
  enum Step: String, Codable { case email, code }
  struct State: Codable { var step = Slot(Step.email) }
  enum InternalAction { case step(Step, Question.Output) }
  enum Output { case signedIn }

  func makeState() -> State { State() }

  var routes: [Route<Self>] {
    [
      Route("step", \.step) { step in Child(Question(text: step.rawValue)) { .step(step, $0) } }
    ]
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .step(.email, .answered): state.step.replace(with: .code)
    case .step(.code, .answered): return .output(.signedIn)
    }
    return .none
  }
}

struct Question: Riblet {
  static let typeName = "Question"
  enum ViewAction: Decodable { case answered(String) }
  enum Output { case answered }
  struct ViewState: Encodable, Equatable { let text: String }

  let text: String

  func makeState() -> String { "" }

  func reduce(into answer: inout String, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .answered(let text): answer = text
    }
    return .output(.answered)
  }

  func view(_ answer: String) -> ViewState { ViewState(text: text) }
}
