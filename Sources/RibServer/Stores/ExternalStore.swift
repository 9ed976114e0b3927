/// A kind of session store that is in a library of its own, as a database's client is needed for it.
///
/// Hand it to the server, and name it in the settings:
///
///     settings.store = .postgres
///     settings.storeURL = "postgresql://ribs@db1,db2/ribs"
///     let server = Server(apps: apps, settings: settings, stores: [.postgres])  // import RibPostgres
public struct ExternalStore: Sendable {
  /// How settings name it.
  package let name: ServerSettings.Store
  /// Opens it at ``ServerSettings/storeURL``.
  package let open: @Sendable (_ url: String, TimeSource) throws(StoreError) -> any SessionStore

  /// Where the nodes that share it find each other.
  package let directory: @Sendable (_ url: String) -> any ClusterDirectory

  /// A kind of store.
  ///
  /// - Parameters:
  ///   - name: how settings name it.
  ///   - open: opens it.
  ///   - directory: where the nodes that share it find each other; used once it is open.
  package init(
    _ name: ServerSettings.Store,
    open: @escaping @Sendable (_ url: String, TimeSource) throws(StoreError) -> any SessionStore,
    directory: @escaping @Sendable (_ url: String) -> any ClusterDirectory
  ) {
    self.name = name
    self.open = open
    self.directory = directory
  }
}
