public import RibCore
import RibSchema
import Wire

/// What a client can ask for in its `hello`: a name, and how the root of a session is built.
public struct App: SampleTreeSource {
  /// A walk through a session's tree, from the root's id.
  typealias Walk = @Sendable (NodeID, @escaping WorkflowPort) async throws -> Void

  /// Looks at an action of a session, by the name that its clients know it by.
  public typealias Middleware = @Sendable (_ action: SeenAction, _ session: String) -> ActionDecision

  /// What becomes of a session with a state that this version of the app cannot decode or migrate.
  public enum UnreadableState: Sendable {
    /// Nothing is lost: the session stays in the store until its time to live is over, and its clients are told to come back
    /// later. A version that can read the state again, or a `migrate` that is mended, brings it back.
    case keep
    /// The riblets concerned are built anew by their parents' routes, and their old states are deleted with the next commit.
    case rebuild
  }

  /// The name that clients give.
  public let name: String
  /// Who may use the app.
  private(set) var access: Access
  /// What becomes of a session whose state cannot be read.
  let onUnreadableState: UnreadableState
  /// Whether what a client sends as `params` is looked at, and kept with the session.
  let takesParameters: Bool
  /// Is told of sessions that have ended; nil if the app does not want to know.
  private(set) var end: (@Sendable (EndedSession) async -> Void)?
  /// What its riblets show and take.
  let schemas = SchemaBook()
  /// Asked before each action in its sessions is reduced, the first one first.
  private var middleware: [Middleware] = []
  private let build: @Sendable (_ parameters: JSONElement?, _ session: Session) throws -> sending Planted

  /// A tree that is not started, and what belongs to it.
  struct Planted {
    let tree: Tree
    /// What is to be done once it is started.
    var walk: Walk?
    /// The session as its riblets observe it; nil if the app's root takes no ``SessionContext``.
    var context: SessionContext?
  }

  /// What a session is known by.
  struct Session {
    /// As its clients know it.
    let id: String
    /// What the idempotency keys of its effects begin with.
    let keyPrefix: String
    /// What the first client has said of itself, and the person behind that client.
    var profile: ClientProfile?
    /// Signs a person out everywhere.
    var signOut: @Sendable (Identity) async throws -> Void = { _ in }

    /// The context that the app's root is built with.
    fileprivate var context: SessionContext {
      SessionContext(
        id: id, client: profile?.info ?? ClientInfo(), identity: CurrentIdentity(profile?.person?.identity),
        signOut: signOut)
    }
  }

  /// Which clients may use an app.
  public enum Access: Sendable, Equatable {
    /// Any client, also without a credential, unless the authenticator refuses that.
    case anyone
    /// A client that has shown the credential of a person.
    case identified
    /// A client whose person has at least one of these roles.
    case roles(Set<String>)  // safe text: Stream-Safe
  }

  /// An app without parameters; what a client sends as `params` is ignored, and not kept: a later version of the app that takes
  /// parameters finds none in the sessions of this one.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - access: who may use it; anyone unless given.
  ///   - onUnreadableState: what becomes of a session with a state that this version cannot decode or migrate.
  ///   - root: builds the riblet at the root, each time that a session comes into memory, on the session's loop; and once to
  ///     see what the app shows, if somebody asks for that before the first session.
  public init<Root: Riblet>(
    _ name: String, access: Access = .anyone, onUnreadableState: UnreadableState = .keep,
    root: @escaping @Sendable () -> Root
  ) where Root.Output == Never, Root.Props == Never {
    self.name = name
    self.access = access
    self.onUnreadableState = onUnreadableState
    takesParameters = false
    build = { _, session in Planted(tree: Tree(root: root(), session: session.keyPrefix)) }
  }

  /// An app without parameters, whose root knows its session.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - access: who may use it; anyone unless given.
  ///   - onUnreadableState: what becomes of a session with a state that this version cannot decode or migrate.
  ///   - root: builds the riblet at the root, as above.
  public init<Root: Riblet>(
    _ name: String, access: Access = .anyone, onUnreadableState: UnreadableState = .keep,
    root: @escaping @Sendable (SessionContext) -> Root
  ) where Root.Output == Never, Root.Props == Never {
    self.name = name
    self.access = access
    self.onUnreadableState = onUnreadableState
    takesParameters = false
    build = { _, session in
      let context = session.context
      return Planted(tree: Tree(root: root(context), session: session.keyPrefix), context: context)
    }
  }

  /// An app with parameters, which come from a client: decode only what it may decide.
  ///
  /// They may say where to go: a deep link. A `Secret` among them would be kept in the store: that is a mistake in the program and traps.
  /// They are kept with the session, and decoded again each time that it comes
  /// into memory. A client whose parameters do not decode is told why (`bad_message`), so check them in `init(from:)`.
  /// Of any other error that `root` throws, the client is told only that the app could not be started (`failed`), and
  /// the log has the error.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - access: who may use it; anyone unless given.
  ///   - onUnreadableState: what becomes of a session with a state that this version cannot decode or migrate.
  ///   - parameters: what `params` decodes as; a client without `params` gets `{}` decoded.
  ///   - root: builds the riblet at the root, each time that a session comes into memory, on the session's loop; and once to
  ///     see what the app shows, if somebody asks for that before the first session.
  ///   - walk: goes through the tree once the session has started; what it changes the client sees as patches. It ends with
  ///     the session. An error is logged.
  public init<Parameters: Decodable & Sendable, Root: Riblet>(
    _ name: String, access: Access = .anyone, onUnreadableState: UnreadableState = .keep, parameters: Parameters.Type,
    root: @escaping @Sendable (Parameters) throws -> Root,
    walk: (@Sendable (Parameters, NodeHandle<Root>) async throws -> Void)? = nil
  ) where Root.Output == Never, Root.Props == Never {
    self.name = name
    self.access = access
    self.onUnreadableState = onUnreadableState
    takesParameters = true
    Self.refuseSecrets(in: Parameters.self, of: name)
    build = { json, session in
      let value = try Self.decode(Parameters.self, json)
      let tree = Tree(root: try root(value), session: session.keyPrefix)
      return Planted(tree: tree, walk: Self.bind(walk, value))
    }
  }

  /// An app with parameters, as above, whose root knows its session.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - access: who may use it; anyone unless given.
  ///   - onUnreadableState: what becomes of a session with a state that this version cannot decode or migrate.
  ///   - parameters: what `params` decodes as; a client without `params` gets `{}` decoded.
  ///   - root: builds the riblet at the root, as above.
  ///   - walk: goes through the tree once the session has started, as above.
  public init<Parameters: Decodable & Sendable, Root: Riblet>(
    _ name: String, access: Access = .anyone, onUnreadableState: UnreadableState = .keep, parameters: Parameters.Type,
    root: @escaping @Sendable (Parameters, SessionContext) throws -> Root,
    walk: (@Sendable (Parameters, NodeHandle<Root>) async throws -> Void)? = nil
  ) where Root.Output == Never, Root.Props == Never {
    self.name = name
    self.access = access
    self.onUnreadableState = onUnreadableState
    takesParameters = true
    Self.refuseSecrets(in: Parameters.self, of: name)
    build = { json, session in
      let (value, context) = (try Self.decode(Parameters.self, json), session.context)
      let tree = Tree(root: try root(value, context), session: session.keyPrefix)
      return Planted(tree: tree, walk: Self.bind(walk, value), context: context)
    }
  }

  private static func refuseSecrets<Parameters: Decodable>(in type: Parameters.Type, of name: String) {
    precondition(
      SecretFinder.secret(in: type) != .present,
      "The parameters of the app \"\(name)\" have a Secret: they are kept with the session, so it would be no secret.")
  }

  /// The app with a look at every action before its riblet reduces it: to log, to count, to refuse.
  ///
  ///     App("shop") { Shop() }.middleware { action, session in
  ///       audit.note(session, "\(action.action)")
  ///       return .pass
  ///     }
  ///
  /// It is called on the session's loop, in the transaction, and has to be as quick as a reducer. What was added first is asked
  /// first; the first that refuses decides.
  ///
  /// A replay of a recorded session has no middleware: it fails at an action that middleware has refused, as the riblet does it then.
  ///
  /// - Parameter look: called with the action and the session's name.
  /// - Returns: the app.
  public func middleware(_ look: @escaping Middleware) -> App {
    var app = self
    app.middleware.append(look)
    return app
  }

  /// The same app, which is told of each of its sessions that has ended for good.
  ///
  /// It is told once the store has deleted the session: after its last client's `bye`, when its time to live is over,
  /// wherever it was then, or when its state cannot be encoded any more. A session has not ended when it rests, when
  /// the server stops, or when it goes on in another process; nor when riblets of it are built anew
  /// (``UnreadableState/rebuild``), as it keeps its id.
  ///
  /// An app is told at most once of a session: not at all if the process dies between the deletion and the closure's
  /// end, if the session is lost with a server whose store is in memory, or if another process on the same store deletes
  /// the session whose version of the app has no such closure. A process that is killed before the
  /// deletion leaves the session in the store, and the app is told when its time to live is over. So give what must not
  /// stay for ever an end of its own.
  ///
  /// Nor is it told of what comes while 10,000 of its sessions wait for a closure that is slow or hangs: the log has a
  /// warning with their number then, and one when the closure takes more than ten seconds for a session. A server that
  /// stops waits for the closures of all apps together, but for no longer than `timeouts.storeSeconds`; the log has the
  /// number of sessions that an app is not told of then.
  ///
  /// - Parameter body: called for one session of the app after the other, away from the sessions' threads; other apps
  ///   do not wait for it. It replaces one that was given before.
  /// - Returns: the app.
  public func onEnd(_ body: @escaping @Sendable (EndedSession) async -> Void) -> App {
    var app = self
    app.end = body
    return app
  }

  /// The same app, if it is for anyone, for some clients alone.
  func limited(to access: Access) -> App {
    guard self.access == .anyone else { return self }
    var app = self
    app.access = access
    return app
  }

  private static func decode<Parameters: Decodable>(
    _ type: Parameters.Type, _ json: JSONElement?
  ) throws -> Parameters { try ActionDecoder.decodeValue(type, from: json ?? JSONElement.emptyObject) }

  private static func bind<Parameters: Sendable, Root: Riblet>(
    _ walk: (@Sendable (Parameters, NodeHandle<Root>) async throws -> Void)?, _ parameters: Parameters
  ) -> Walk? {
    guard let walk else { return nil }
    return { id, port in try await walk(parameters, NodeHandle<Root>(id: id, port: port)) }
  }

  /// Makes a tree of the app for no client, as a test looks at it.
  ///
  /// - Throws: what the app says if its root cannot be built without parameters.
  public func makeSampleTree() throws -> SampleTree {
    SampleTree(try makeTree(nil, Session(id: "", keyPrefix: "")).tree)
  }

  /// Makes the tree of a session.
  ///
  /// - Parameters:
  ///   - parameters: what the client has said in its `hello`.
  ///   - session: what the session is known by.
  /// - Returns: a tree that is not started, and the walk that is to be done once it is.
  /// - Throws: what the app says of the parameters.
  func makeTree(_ parameters: JSONElement?, _ session: Session) throws -> sending Planted {
    let planted = try build(parameters, session)
    planted.tree.visitor = schemas
    if !middleware.isEmpty {
      planted.tree.gate = { [middleware, id = session.id] action in
        for look in middleware {
          let decision = look(action, id)
          if decision != .pass { return decision }
        }
        return .pass
      }
    }
    return planted
  }
}
