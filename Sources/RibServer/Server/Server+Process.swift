import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Server {
  /// Sets the process up for a server that runs for long; to be called once, before a server is started.
  ///
  /// The process may open as many descriptors as the system lets it: a connection is one, and many shells allow only 1,024.
  /// And a file that may not grow any more (`RLIMIT_FSIZE`) is an error for the session store, which sessions survive, and no
  /// signal that ends the process (`SIGXFSZ`). Nor does the process end with whoever reads its log (`SIGPIPE`). SQLite stops
  /// counting its memory, which costs each commit a lock for each allocation, if the process has not used SQLite before;
  /// `sqlite3_memory_used` is 0 from then on, and heap limits hold no more.
  public static func prepareProcess() {
    for name in [SIGXFSZ, SIGPIPE] { signal(name, SIG_IGN) }
    rib_sqlite_count_no_memory()
    raiseDescriptorLimit()
  }

  /// Lets the process open as many descriptors as the system lets it.
  ///
  /// - Returns: how many it may open now.
  @discardableResult
  package static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(descriptorResource, &limit) == 0 else { return 0 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(descriptorResource, &limit)
    return descriptorLimit
  }

  /// How many descriptors the process may open; 0 if the system does not say.
  static var descriptorLimit: Int {
    var limit = rlimit()
    return getrlimit(descriptorResource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
  }

  #if canImport(Glibc)
    private static var descriptorResource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
    private static var descriptorResource: Int32 { RLIMIT_NOFILE }
  #endif
}
