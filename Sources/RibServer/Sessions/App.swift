public import RibCore
import Wire

/// What a client can ask for in its `hello`: a name, and how the root of a session is built.
public struct App: Sendable {
  /// A walk through a session's tree, from the root's id.
  typealias Walk = @Sendable (NodeID, @escaping WorkflowPort) async throws -> Void

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
  /// What becomes of a session whose state cannot be read.
  let onUnreadableState: UnreadableState
  /// What its riblets show and take.
  let schemas = SchemaBook()
  private let build: @Sendable (_ parameters: JSONElement?, _ session: String) throws -> sending (Tree, Walk?)

  /// An app without parameters; what a client sends as `params` is ignored.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - onUnreadableState: what becomes of a session with a state that this version cannot decode or migrate.
  ///   - root: builds the riblet at the root, once for each session, on the session's loop; and once to see what the app
  ///     shows, if somebody asks for that before the first session.
  public init<Root: Riblet>(
    _ name: String, onUnreadableState: UnreadableState = .keep, root: @escaping @Sendable () -> Root
  ) where Root.Output == Never {
    self.name = name
    self.onUnreadableState = onUnreadableState
    build = { _, session in (Tree(root: root(), session: session), nil) }
  }

  /// An app with parameters, which come from a client: decode only what it may decide.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - onUnreadableState: what becomes of a session with a state that this version cannot decode or migrate.
  ///   - parameters: what `params` decodes as; a client without `params` gets `{}` decoded.
  ///   - root: builds the riblet at the root, once for each session, on the session's loop; and once to see what the app
  ///     shows, if somebody asks for that before the first session.
  public init<Parameters: Decodable & Sendable, Root: Riblet>(
    _ name: String, onUnreadableState: UnreadableState = .keep, parameters: Parameters.Type,
    root: @escaping @Sendable (Parameters) throws -> Root
  ) where Root.Output == Never {
    self.init(name, onUnreadableState, parameters, root, nil)
  }

  /// An app whose parameters may say where to go: a deep link.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - onUnreadableState: what becomes of a session with a state that this version cannot decode or migrate.
  ///   - parameters: what `params` decodes as; a client without `params` gets `{}` decoded.
  ///   - root: builds the riblet at the root, once for each session, on the session's loop; and once to see what the app
  ///     shows, if somebody asks for that before the first session.
  ///   - walk: goes through the tree once the session has started; what it changes the client sees as patches. It ends with
  ///     the session. An error is logged.
  public init<Parameters: Decodable & Sendable, Root: Riblet>(
    _ name: String, onUnreadableState: UnreadableState = .keep, parameters: Parameters.Type,
    root: @escaping @Sendable (Parameters) throws -> Root,
    walk: @escaping @Sendable (Parameters, NodeHandle<Root>) async throws -> Void
  ) where Root.Output == Never {
    self.init(name, onUnreadableState, parameters, root, walk)
  }

  private init<Parameters: Decodable & Sendable, Root: Riblet>(
    _ name: String, _ onUnreadableState: UnreadableState, _ parameters: Parameters.Type,
    _ root: @escaping @Sendable (Parameters) throws -> Root,
    _ walk: (@Sendable (Parameters, NodeHandle<Root>) async throws -> Void)?
  ) where Root.Output == Never {
    self.name = name
    self.onUnreadableState = onUnreadableState
    build = { json, session in
      let value = try ActionDecoder.decodeValue(Parameters.self, from: json ?? JSONElement.emptyObject)
      let tree = Tree(root: try root(value), session: session)
      guard let walk else { return (tree, nil) }
      return (tree, { id, port in try await walk(value, NodeHandle<Root>(id: id, port: port)) })
    }
  }

  /// Makes the tree of a session.
  ///
  /// - Parameters:
  ///   - parameters: what the client has said in its `hello`.
  ///   - session: the session's id.
  /// - Returns: a tree that is not started, and the walk that is to be done once it is.
  /// - Throws: what the app says of the parameters.
  func makeTree(_ parameters: JSONElement?, _ session: String) throws -> sending (Tree, Walk?) {
    let made = try build(parameters, session)
    made.0.schemas = schemas
    return made
  }
}
