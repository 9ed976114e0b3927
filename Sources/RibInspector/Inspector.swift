import RibCore

/// The inspector of a server: a page at a time, a session above it, and a question above both before something is done.
///
/// The inspector is an app like others: a page in a browser, `ribctl connect` in a terminal and the HTTP API of a script show the same. Of the server
/// nothing is looked at but what is in front, each second while a client is connected, and once if none is.
struct Inspector: Riblet {
  static let typeName = "Inspector"

  struct State: Codable, Equatable {
    var page = PageInFront(.overview)
    var session = Slot<String>()
    var confirm = Slot<Operation>()
    /// The name of the operator whose session this is; empty before it is known.
    var name: String
    var mayOperate: Bool
    @Transient var isWatched = false
  }

  enum ViewAction: Codable {
    case pageTapped(Page)
    /// A session was asked for by its id.
    case sessionEntered(id: String)
  }

  enum InternalAction: Equatable {
    case clientsChanged(Int)
    case identityChanged(Identity?)
    case page(PageOutput)
    case session(SessionPage.Output)
    case confirm(Confirm.Output)
  }

  struct ViewState: Codable, Equatable {
    /// The operator.
    let name: String
    /// Whether the operator may act.
    let mayOperate: Bool
    /// The page that is shown.
    let page: Page
    /// The pages that there are.
    let pages: [Page]
  }

  let context: SessionContext
  let service: InspectorService
  let clock: any Clock<Duration>

  var routes: [Route<Self>] {
    [
      Route("page", \.page) { page in child(page) },
      Route("session", \.session) { id in
        Child(
          SessionPage(id: id, service: service, clock: clock),
          // Also while a question stands in front: what was noted of the session meanwhile would be gone.
          props: { state in Onlooker(isThere: state.isWatched, name: state.name) }
        ) { .session($0) }
      },
      Route("confirm", \.confirm) { operation in
        Child(Confirm(operation: operation, service: service), props: { state in state.name }) { .confirm($0) }
      },
    ]
  }

  private func child(_ page: Page) -> Child<Self, OwnState> {
    /// A page is paused while something is in front of it.
    func onlooker(_ state: State) -> Onlooker {
      let isCovered = state.session.config != nil || state.confirm.config != nil
      return Onlooker(isThere: state.isWatched && !isCovered, name: state.name)
    }
    return switch page {
    case .overview: Child(Overview(service: service, clock: clock), props: onlooker) { .page($0) }
    case .sessions: Child(Sessions(service: service, clock: clock), props: onlooker) { .page($0) }
    case .riblets: Child(Riblets(service: service, clock: clock), props: onlooker) { .page($0) }
    case .store: Child(Store(service: service, clock: clock), props: onlooker) { .page($0) }
    case .signIn: Child(SignIn(service: service, clock: clock), props: onlooker) { .page($0) }
    case .settings: Child(Settings(service: service), props: onlooker)
    case .log: Child(Log(service: service, clock: clock), props: onlooker) { .page($0) }
    case .crashes: Child(Crashes(service: service, clock: clock), props: onlooker) { .page($0) }
    }
  }

  func makeState() -> State {
    // The first action may come before the effect that observes the identity.
    let identity = context.identity.value
    return State(name: identity?.subject ?? "", mayOperate: identity?.mayOperate ?? false)
  }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    .merge(
      .observe(context.identity, id: "who") { .identityChanged($0) },
      .observe(context.clients, id: "clients") { .clientsChanged($0) })
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .pageTapped(let page):
      state.session.detach()
      state.page.show(page)
    case .sessionEntered(let id):
      let id = id.trimmed
      guard !id.isEmpty, id.utf8.count <= 128 else { return .refuse("Enter the id of a session.") }
      state.session.replace(with: id)
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .clientsChanged(let count): state.isWatched = count > 0
    case .identityChanged(let identity):
      state.name = identity?.subject ?? ""
      state.mayOperate = identity?.mayOperate ?? false
    case .page(.opens(let session)), .session(.opens(let session)): state.session.replace(with: session)
    case .page(.wants(let operation)), .session(.wants(let operation)): state.confirm.replace(with: operation)
    case .session(.closed): state.session.detach()
    case .confirm(.closed): state.confirm.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(
      name: state.name, mayOperate: state.mayOperate, page: state.page.page, pages: Page.allCases)
  }
}

/// A page of the inspector.
enum Page: String, Codable, Hashable, CaseIterable {
  case overview, sessions, riblets, store, signIn, settings, log, crashes
}

/// An output of a page to the inspector.
enum PageOutput: Equatable {
  /// A session is to be shown.
  case opens(session: String)
  /// Something is to be done, once the operator has confirmed it.
  case wants(Operation)
}

/// The operator who looks at a page.
struct Onlooker: Codable, Equatable {
  /// Whether a client of the operator's is connected, and the page is in front.
  var isThere = false
  /// The operator's name.
  var name = ""
}

extension String {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
