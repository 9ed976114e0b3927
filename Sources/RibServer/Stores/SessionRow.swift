package import RibCore

/// A session's row in a database, as a store reads it.
package struct SessionRow {
  /// What never changes.
  package let identity: SessionIdentity
  /// The lease under which the session was written last.
  package let lease: SessionLease
  /// The process that holds the session; 0 for none.
  package let holder: Int
  /// What is kept but for the nodes.
  package var state: SessionState
  /// The tree, without its nodes.
  package let tree: TreeSnapshot

  /// A row.
  package init(
    identity: SessionIdentity, lease: SessionLease, holder: Int, state: SessionState, tree: TreeSnapshot
  ) {
    self.identity = identity
    self.lease = lease
    self.holder = holder
    self.state = state
    self.tree = tree
  }

  /// The lease of the process that has the session next.
  package var nextLease: SessionLease { SessionLease(row: lease.row, number: lease.number + 1) }
}
