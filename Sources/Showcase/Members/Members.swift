import RibCore

/// Shows who is signed in, and a board of notices that all members read: writers and bosses post to it, bosses erase from it.
///
/// What a person may do is checked twice: ``authorize(_:by:in:)`` decides about each action, by the roles of the client that acts, and the
/// view state says it beforehand, so that a page leaves out buttons that would be refused.
struct Members: Riblet {
  static let typeName = "Members"
  /// How long a notice may be, in characters.
  static let longestNotice = 200

  struct State: Codable, Equatable {
    /// The subject of the person whose session this is.
    var subject: String?
    /// The issuer of that person: another one's subjects are other persons.
    var issuer: String?
    var roles: Set<String> = []
    var notices: IdentifiedArray<Notice> = []
    var problem: String?
  }

  enum ViewAction: Codable {
    case postTapped(text: String)
    case eraseTapped(id: Int)
    case signOutEverywhereTapped
  }

  enum InternalAction: Equatable {
    case identityChanged(Identity?)
    case boardChanged(Board)
    case signOutFailed
  }

  struct ViewState: Codable, Equatable {
    let subject: String?
    let roles: [String]
    let notices: IdentifiedArray<Notice>
    let canPost: Bool
    let canErase: Bool
    let problem: String?
  }

  let session: SessionContext
  let board: ClusterValue<Board>

  func makeState() -> State {
    // Not only by the effect: the client's first action may come before the effect's.
    let identity = session.identity.value
    return State(subject: identity?.subject, issuer: identity?.issuer, roles: identity?.roles ?? [])
  }

  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    switch viewAction {
    // A notice is posted under the subject of the session's person: no other person's client may post it.
    case .postTapped: isOwn(client, in: state) && Self.canPost(client.roles)
    case .eraseTapped: Self.canErase(client.roles)
    case .signOutEverywhereTapped: isOwn(client, in: state)
    }
  }

  /// Whether a client is of the session's person.
  private func isOwn(_ client: ActingClient, in state: State) -> Bool {
    client.isClient(of: state.subject, issuer: state.issuer)
  }

  private static func canPost(_ roles: Set<String>) -> Bool { !roles.isDisjoint(with: ["writer", "boss"]) }
  private static func canErase(_ roles: Set<String>) -> Bool { roles.contains("boss") }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    .merge(
      .observe(session.identity, id: "who") { .identityChanged($0) },
      .observe(board, id: "board") { .boardChanged($0) })
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.problem = nil
    switch viewAction {
    case .postTapped(let text):
      guard let author = state.subject else { return .refuse("Nobody is signed in.") }
      guard !text.allSatisfy(\.isWhitespace) else { return .refuse("There is nothing to post.") }
      guard text.count <= Self.longestNotice else {
        return .refuse("A notice has at most \(Self.longestNotice) characters.")
      }
      return .update(board) { $0.post(text, by: author) }
    case .eraseTapped(let id): return .update(board) { $0.erase(id: id) }
    case .signOutEverywhereTapped:
      return .run(id: "sign out", cancelInFlight: true) { [session] _ in
        try await session.signOutEverywhere()
      } catch: { _, send in
        await send(.signOutFailed)
      }
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .identityChanged(let identity):
      state.subject = identity?.subject
      state.issuer = identity?.issuer
      state.roles = identity?.roles ?? []
    case .boardChanged(let board): state.notices = board.notices
    case .signOutFailed: state.problem = "You could not be signed out everywhere. Try again."
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(
      subject: state.subject, roles: state.roles.sorted(), notices: state.notices, canPost: Self.canPost(state.roles),
      canErase: Self.canErase(state.roles), problem: state.problem)
  }
}
