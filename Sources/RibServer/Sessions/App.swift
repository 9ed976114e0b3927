public import RibCore
import Wire

/// What a client can ask for in its `hello`: a name, and how the root of a session is built.
public struct App: Sendable {
  /// The name that clients give.
  public let name: String
  let makeTree: @Sendable (_ parameters: JSONElement?) throws -> sending Tree

  /// An app without parameters; what a client sends as `params` is ignored.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - root: builds the riblet at the root, once for each session, on the session's loop.
  public init<Root: Riblet>(_ name: String, root: @escaping @Sendable () -> Root) where Root.Output == Never {
    self.name = name
    makeTree = { _ in Tree(root: root()) }
  }

  /// An app with parameters, which come from a client: decode only what it may decide.
  ///
  /// - Parameters:
  ///   - name: the name that clients give.
  ///   - parameters: what `params` decodes as; a client without `params` gets `{}` decoded.
  ///   - root: builds the riblet at the root, once for each session, on the session's loop.
  public init<Parameters: Decodable & Sendable, Root: Riblet>(
    _ name: String, parameters: Parameters.Type, root: @escaping @Sendable (Parameters) throws -> Root
  ) where Root.Output == Never {
    self.name = name
    makeTree = { json in
      let value = try ActionDecoder.decodeValue(Parameters.self, from: json ?? JSONElement.emptyObject)
      return Tree(root: try root(value))
    }
  }
}
