import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Looks whether a program would bring back what another version of it has stored, before it is deployed.
///
/// Each session of a copy of the store is restored as a server does it, but for its effects, which are not started, and nothing is
/// written. The code of the apps runs in processes of its own, as it may trap: such a session is named, and the others go on.
///
///     let arguments = CommandLine.arguments.dropFirst()
///     if arguments.first == "check-state", let path = arguments.dropFirst().first {
///       exit(StateCheck(apps: apps).run(on: path))
///     }
///
/// The processes run this program with the same arguments, so that it has to come to the same call.
public struct StateCheck: Sendable {
  /// The environment variable of a process that restores sessions: the file, and the numbers of the sessions.
  static let variable = "RIBSERVER_STATE_CHECK"
  /// How many sessions a process restores, so that none takes more and more memory.
  private static let batchSize = 1000

  private let apps: [String: App]

  /// A check of these apps.
  ///
  /// - Parameter apps: as the server has them.
  public init(apps: [App]) { self.apps = Dictionary(apps.map { ($0.name, $0) }) { $1 } }

  /// Checks a store, and prints the report on the standard output.
  ///
  /// - Parameters:
  ///   - path: a copy of a state directory, or the file of a backup.
  ///   - sample: how many sessions, evenly spread over the store; nil for all.
  ///   - isJSON: whether the report is one JSON object, for a program.
  ///   - seconds: how long a session may take.
  /// - Returns: the process's exit status: 0 if all sessions would go on with all that they know, 1 if something would be lost, 2 if the
  ///   store cannot be checked.
  public func run(on path: String, sample: Int? = nil, isJSON: Bool = false, secondsPerSession seconds: Int = 60)
    -> Int32
  {
    if let task = getenv(Self.variable) {
      restore(String(cString: task))
      return 0
    }
    var shown = 0
    do throws(StateCheckError) {
      let report = try check(path, sample: sample, secondsPerSession: seconds) { done, all in
        // Every twentieth part of a large store.
        guard done < all, (done - shown) * 20 >= all else { return }
        shown = done
        Self.complain("Checked \(done) of \(all) sessions.")
      }
      print((isJSON ? report.json : report.text).visibleLines)
      return report.isLossless ? 0 : 1
    } catch {
      Self.complain("\(error)")
      return 2
    }
  }

  private static func complain(_ text: String) {
    let line = Array("check-state: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  // MARK: The process that asks

  /// Checks a store.
  ///
  /// - Parameters:
  ///   - path: a copy of a state directory, or the file of a backup.
  ///   - sample: how many sessions; nil for all.
  ///   - seconds: how long a session may take.
  ///   - progress: called after each batch with the number of sessions that are done, and that of all.
  /// - Returns: what would become of them.
  /// - Throws: ``StateCheckError``.
  func check(
    _ path: String, sample: Int?, secondsPerSession seconds: Int, progress: (_ done: Int, _ all: Int) -> Void
  ) throws(StateCheckError) -> StateCheckReport {
    guard sample ?? 1 > 0, seconds > 0 else {
      throw StateCheckError("A sample has at least one session, and a session at least one second.")
    }
    let store = try CheckedStore(path)
    let all: [Int64]
    do throws(StoreError) {
      all = try StoredTrees(store.path).rows()
    } catch {
      throw StateCheckError(error.description)
    }
    var report = StateCheckReport(stored: all.count)
    let rows = Self.spread(all, sample)
    var done = 0
    while done < rows.count {
      let batch = rows[done..<min(done + Self.batchSize, rows.count)]
      done += batch.count
      try restore(Array(batch), of: store.path, seconds, &report)
      progress(done, rows.count)
    }
    return report
  }

  /// As many of the rows, evenly spread.
  static func spread(_ rows: [Int64], _ sample: Int?) -> [Int64] {
    guard let sample, sample < rows.count else { return rows }
    return (0..<sample).map { rows[$0 * rows.count / sample] }
  }

  /// Has sessions restored: by another process after each one that a process has died of.
  private func restore(
    _ rows: [Int64], of path: String, _ seconds: Int, _ report: inout StateCheckReport
  ) throws(StateCheckError) {
    var rest = rows[...]
    while !rest.isEmpty {
      let process: CheckProcess
      do throws(SystemError) {
        process = try CheckProcess(Self.variable, "\(path)\n\(rest.map(String.init).joined(separator: ","))")
      } catch {
        throw StateCheckError(error.description)
      }
      let before = rest.count
      follow(process, seconds, &rest, &report)
      guard rest.count < before else {
        let reason = process.wait() ?? "It has ended without a word."
        throw StateCheckError(
          """
          The process that restores sessions does not: \(reason) A program that is not ribd has to come to StateCheck.run with the same \
          arguments.
          """)
      }
    }
  }

  /// Takes what a process says, until it has ended or is ended.
  private func follow(
    _ process: CheckProcess, _ seconds: Int, _ rest: inout ArraySlice<Int64>, _ report: inout StateCheckReport
  ) {
    var (session, app) = ("", "")
    var riblet: String?
    var isUnderWay = false
    let fail: (String, inout ArraySlice<Int64>, inout StateCheckReport) -> Void = { reason, rest, report in
      report.add(CheckedSession(.failed, riblet, reason), named: session, of: app)
      rest.removeFirst()
    }
    while true {
      // The program takes a while to come to its first session.
      switch process.next(within: isUnderWay ? seconds : max(seconds, 60)) {
      case .line(.begun(let name, let appName)):
        (session, app, riblet, isUnderWay) = (name, appName, nil, true)
      case .line(.riblet(let type)): riblet = type
      case .line(.done(let checked)):
        report.add(checked, named: session, of: app)
        rest.removeFirst()
        isUnderWay = false
      case .silence:
        process.end()
        if isUnderWay { fail("It does not come back within \(seconds) seconds.", &rest, &report) }
        return
      case .end:
        guard isUnderWay else { return }
        return fail(process.wait() ?? "The process would end.", &rest, &report)
      }
    }
  }

  // MARK: The process that restores

  /// Restores sessions, and writes a line before and after whatever may end the process.
  private func restore(_ task: String) {
    let parts = task.split(separator: "\n", omittingEmptySubsequences: false)
    guard parts.count == 2, let store = try? StoredTrees(String(parts[0])) else { return }
    for case let row? in parts[1].split(separator: ",").map({ Int64($0) }) {
      let identity = try? store.identity(row)
      Self.say(.begun(session: identity?.id ?? "row \(row)", app: identity?.app ?? ""))
      Self.say(.done(restore(row, of: store)))
    }
  }

  private func restore(_ row: Int64, of store: StoredTrees) -> CheckedSession {
    do throws(StoreError) {
      guard let stored = try store.session(row) else {
        return CheckedSession(.failed, nil, "The store has it no more: something writes it.")
      }
      guard let app = apps[stored.identity.app] else {
        return CheckedSession(.failed, nil, "There is no such app any more.")
      }
      return CheckedSession(restoring: stored, as: app) { Self.say(.riblet($0)) }
    } catch {
      return CheckedSession(.failed, nil, "It cannot be read: \(error)")
    }
  }

  private static func say(_ line: CheckLine) {
    let bytes = Array("\(line.text)\n".utf8)
    var written = 0
    while written < bytes.count {
      let result = bytes.withUnsafeBytes { buffer in
        write(CheckProcess.output, buffer.baseAddress?.advanced(by: written), bytes.count - written)
      }
      // The process that asks is gone.
      guard result > 0 else { exit(1) }
      written += result
    }
  }
}
