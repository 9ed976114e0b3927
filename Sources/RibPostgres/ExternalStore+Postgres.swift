public import RibServer

extension ExternalStore {
  /// Sessions in PostgreSQL: what several nodes share.
  ///
  /// ``RibServer/ServerSettings/storeURL`` is a connection string or URI of libpq, also with several hosts, of which the one is taken that can be
  /// written to. The tables are made in the first schema of its search path.
  public static var postgres: ExternalStore {
    ExternalStore(.postgres) { url, clock throws(StoreError) in
      try PostgresStore(url: url, clock: clock)
    } directory: { url in
      PostgresDirectory(url: url)
    }
  }
}
