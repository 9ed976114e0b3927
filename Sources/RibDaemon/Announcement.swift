import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Prints lines at once, also where the output is a file or a pipe that someone waits at.
func announce(_ lines: String) {
  print(lines.visibleLines)
  fflush(nil)
}

/// Prints a line on the standard error.
func complain(_ line: String, as kind: String = "Error") {
  writeToStandardError(Array("\(kind): \(line.visible)\n".utf8))
}

/// Whether a person sees what the daemon prints.
var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
