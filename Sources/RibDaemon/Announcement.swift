#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Prints a line at once, also where the output is a file or a pipe that someone waits at.
func announce(_ line: String) {
  print(line)
  fflush(nil)
}

/// Prints a line on the standard error.
func complain(_ line: String) { writeToStandardError(Array("Error: \(line)\n".utf8)) }

/// Whether a person sees what the daemon prints.
var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
