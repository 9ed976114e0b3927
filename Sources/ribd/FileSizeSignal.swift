#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Makes a file that may not grow any more an error for whoever writes to it, as the session store, and no reason to die.
func ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN) }
