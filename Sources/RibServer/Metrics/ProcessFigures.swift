import RibMetrics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Figures that the system has of the process, under the names that Prometheus' own libraries have for it.
enum ProcessFigures {
  /// The figures of this moment; what the system does not tell is left out.
  ///
  /// - Parameter startTime: when the process was started, in seconds since 1970; nil if that is not known.
  /// - Returns: the families.
  static func families(startTime: Double?) -> [MetricFamily] {
    var families = [
      MetricFamily(
        "process_cpu_seconds_total", "Seconds of processor time, of the program and of the system for it.", .counter,
        [.init([], .number(cpuSeconds))])
    ]
    func add(_ name: String, _ help: String, _ value: Double?) {
      if let value { families.append(MetricFamily(name, help, .gauge, [.init([], .number(value))])) }
    }
    add("process_resident_memory_bytes", "Bytes of the machine's memory.", residentBytes().map(Double.init))
    add("process_open_fds", "Open file descriptors.", openDescriptorCount.map(Double.init))
    add("process_max_fds", "File descriptors that may be open.", Double(Server.descriptorLimit))
    add("process_start_time_seconds", "When the process was started, in seconds since 1970.", startTime)
    return families
  }

  /// Seconds of processor time, of the program and of the system for it.
  static var cpuSeconds: Double {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    return seconds + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }

  /// The number of open descriptors; nil if the system does not tell.
  ///
  /// Of the directory of descriptors, the one with which it is read is not counted.
  static var openDescriptorCount: Int? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = -1
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != UInt8(ascii: ".") { count += 1 }
    }
    return count
  }

  /// When the process was started.
  ///
  /// proc(5): field 22 of the process' status is when it was started, in clock ticks since the machine's start; `uptime` says how many
  /// seconds ago that was.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: seconds since 1970; nil if the system does not say.
  static func startTime(at now: Int) -> Double? {
    guard let status = readShortFile("/proc/self/stat"), let uptime = readShortFile("/proc/uptime"),
      // Behind the name of the program, which may have any characters, is the third field.
      let fields = status.split(separator: ")").last?.split(separator: " "), fields.count > 19,
      let ticks = Double(fields[19]), let sinceBoot = uptime.split(separator: " ").first.flatMap({ Double($0) })
    else { return nil }
    return Double(now) - sinceBoot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
