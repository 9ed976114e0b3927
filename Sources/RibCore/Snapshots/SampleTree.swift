/// An app whose tree a test can start without a server: the server's `App`.
public protocol SampleTreeSource: Sendable {
  /// The app's name.
  var name: String { get }

  /// Makes a tree of the app as a session's, for no client.
  ///
  /// - Returns: the tree, which is not started.
  /// - Throws: what the app says if it cannot build its root without parameters.
  func makeSampleTree() throws -> SampleTree
}

/// A tree of an app that is no session's: a test starts it to look at the app's riblets.
public struct SampleTree {
  /// The tree, which is not started.
  package let tree: Tree

  /// A tree that is not started.
  package init(_ tree: Tree) { self.tree = tree }
}
