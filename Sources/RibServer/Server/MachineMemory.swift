#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How much memory a process may have before the system ends it.
enum MachineMemory {
  /// What the system says now.
  ///
  /// - Returns: bytes: of the control group's limit or, if there is none, of the machine; nil if the system does not say.
  static func bytes() -> Int? {
    bytes(of: sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)), readShortFile)
  }

  /// What control groups leave a process of a machine's memory.
  ///
  /// A group has what its parents have left it, so that each limit from the process's own group up to the mount point counts. In
  /// a container the mount point is the container's group, and the path of the process's group may be one of the host's: what
  /// is not there is passed over.
  ///
  /// - Parameters:
  ///   - machine: the machine's memory in bytes; what is not above 0 is not known.
  ///   - read: a file's text; nil if there is none.
  /// - Returns: bytes; nil if nothing is known.
  static func bytes(of machine: Int, _ read: (_ path: String) -> String?) -> Int? {
    var least = machine > 0 ? machine : nil
    for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
      // cgroups(7): hierarchy, controllers, path. Version 2 is hierarchy 0, without controllers.
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let (root, name): (String, String)
      if fields[0] == "0", fields[1].isEmpty {
        (root, name) = ("/sys/fs/cgroup", "memory.max")
      } else if fields[1].split(separator: ",").contains("memory") {
        (root, name) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      } else {
        continue
      }
      var parts = fields[2].split(separator: "/")
      while true {
        let group = parts.isEmpty ? root : "\(root)/\(parts.joined(separator: "/"))"
        // "max", and version 1's largest number of pages, are no limits; nor is one above what the machine has.
        if let limit = read("\(group)/\(name)").flatMap(number), limit < least ?? .max { least = limit }
        guard parts.popLast() != nil else { break }
      }
    }
    // Version 1 says "no limit" by the largest number of whole pages.
    return least.flatMap { $0 < .max >> 1 ? $0 : nil }
  }

  private static func number(_ text: String) -> Int? {
    guard let line = text.split(whereSeparator: \.isWhitespace).first, let number = Int(line), number > 0 else {
      return nil
    }
    return number
  }
}
