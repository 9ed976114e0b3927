package import RibCore

/// Where the nodes of a cluster find each other: a table in the store that they share.
///
/// One thread at a time uses it, and not the one that uses the store: a commit that waits delays no beat, and the other way round.
package protocol ClusterDirectory: Sendable {
  /// Has the others see that this node is there, and reads which nodes are.
  ///
  /// - Parameter node: this node, as the others are to see it; its number is the one that the store has given it.
  /// - Returns: all nodes, this one too.
  /// - Throws: ``StoreError`` if it is not known whether the others see it.
  func beat(_ node: ClusterNode) throws(StoreError) -> [ClusterNode]

  /// Finds sessions that this node does not have any more: others have loaded them since, or they are deleted.
  ///
  /// - Parameter leases: under which this node has sessions.
  /// - Returns: those that are void.
  /// - Throws: ``StoreError``.
  func voided(among leases: [SessionLease]) throws(StoreError) -> [SessionLease]

  /// Frees sessions of nodes that have died, with a higher lease, and forgets those nodes that have none.
  ///
  /// - Parameters:
  ///   - nodes: the nodes; one whose beat is another by now is left alone.
  ///   - limit: how many sessions at most.
  /// - Returns: how many were freed.
  /// - Throws: ``StoreError``.
  func free(sessionsOf nodes: [ClusterNode], limit: Int) throws(StoreError) -> Int

  /// The same of sessions whose nodes are forgotten already.
  ///
  /// - Parameter limit: how many sessions at most.
  /// - Returns: how many were freed.
  /// - Throws: ``StoreError``.
  func freeOrphans(limit: Int) throws(StoreError) -> Int

  /// Finds those of some sessions that a node has taken, and has not written since.
  ///
  /// - Parameters:
  ///   - ids: the names of the sessions.
  ///   - node: the node.
  /// - Returns: the leases of those that are, by name.
  /// - Throws: ``StoreError``.
  func leases(ofSessions ids: [String], heldBy node: Int) throws(StoreError) -> [String: SessionLease]

  /// Frees sessions that a node has taken under these leases, and has not written since, with higher ones; they are as old as its last beat.
  ///
  /// - Parameters:
  ///   - leases: under which the node has taken them.
  ///   - node: the node.
  /// - Returns: how many were freed.
  /// - Throws: ``StoreError``.
  func free(_ leases: [SessionLease], heldBy node: Int) throws(StoreError) -> Int

  /// Reads cluster values.
  ///
  /// - Parameter names: their names.
  /// - Returns: those that somebody has changed.
  /// - Throws: ``StoreError``.
  func values(named names: [String]) throws(StoreError) -> [NamedValue]

  /// Changes a cluster value if nobody else has since it was read.
  ///
  /// The same write again, after one whose outcome was not known, has the same number, and is made once.
  ///
  /// - Parameters:
  ///   - value: what it is to be, and the version that was read.
  ///   - number: counts the writes of the node to that value, from 1.
  ///   - node: the node.
  /// - Returns: what it is now, and whether that write was made.
  /// - Throws: ``StoreError`` if it is not known whether it was.
  func write(_ value: NamedValue, number: Int, of node: Int) throws(StoreError) -> (found: NamedValue, wasWritten: Bool)

  /// Ends its use.
  func close()
}

/// A process that serves the sessions of a store together with others.
package struct ClusterNode: Equatable, Sendable {
  /// The number that the store has given it; no other node ever has it.
  package let id: Int
  /// Another number with each beat; the directory gives it.
  package var beat = 0
  /// The program that it runs, as it tells itself from others.
  package var program: String
  /// Whether it asks its clients to go elsewhere.
  package var isDraining: Bool
  /// Whether a process that has begun with its state directory has found that it has died; not any more once it is heard again.
  package var isSucceeded: Bool
  /// Where other nodes reach it: a host and a port; empty if they do not.
  package var address: String
  /// The secret that other nodes have to show at the address: 256 random bits.
  package var secret: String
  /// The mark of its process (``StoreStart/mark``), which stays the same if the node is forgotten and heard again; the directory tells it nobody.
  package var mark: Int

  /// A node.
  package init(
    id: Int, beat: Int = 0, program: String, isDraining: Bool = false, address: String = "", secret: String = "",
    isSucceeded: Bool = false, mark: Int = 0
  ) {
    (self.id, self.beat, self.program, self.isDraining) = (id, beat, program, isDraining)
    (self.address, self.secret, self.isSucceeded, self.mark) = (address, secret, isSucceeded, mark)
  }
}
