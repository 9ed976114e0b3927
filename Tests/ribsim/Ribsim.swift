import ArgumentParser
import Simulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs schedules of whole servers, clients, networks and disks: what happens in each follows from its seed.
@main
struct Ribsim: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run servers, clients, networks and disks in a simulation, and look for what may not be.")

  @Option(help: "The first seed; without one it is the day's.")
  var seed: UInt64?

  @Option(help: "How many schedules to run.")
  var count: UInt64?

  @Option(help: "How far one seed is from the next, so that several processes can share a range.")
  var stride: UInt64 = 1

  @Option(help: "How many seconds to run schedules.")
  var seconds: Int?

  @Option(help: "How many findings are enough.")
  var findings = 1

  @Flag(help: "Print the steps of the first schedule, and run no other.")
  var steps = false

  @Flag(help: "Leave out of the first schedule what its finding does not need, print what is left, and run no other.")
  var shrink = false

  @Option(help: "Of the first schedule, the steps of the plan that happen, as --shrink says them: 3,17,20.")
  var only: String?

  @Flag(help: "Have the servers be nodes of one cluster, on a database that all of them reach, or do not.")
  var cluster = false

  @Option(help: "Have the disk lie: syncs, or directory-syncs.")
  var lie: SimulatedDisk.Lie?

  @Option(help: "A directory for what processes have beside their store.")
  var directory = "/dev/shm"

  mutating func run() throws {
    beDeterministic()
    SeedSignal.watch()
    let machine = try SimulationMachine(in: directory, lie: lie)
    let first = seed ?? UInt64(time(nil) / 86_400) * 1_000_000_000
    if shrink { return try shrink(first, on: machine) }
    SeedSignal.begin(first)
    if steps { return try replay(first, on: machine) }
    try runAll(from: first, on: machine)
  }

  private func runAll(from first: UInt64, on machine: SimulationMachine) throws {
    let end = seconds.map { time(nil) + $0 }
    let start = ContinuousClock.now
    var figures = Figures()
    var memory = MemoryWatch()
    var found = 0
    var next = first
    SeedSignal.awaitEnd()
    say("seeds from \(first)")
    while SeedSignal.end == nil, found < findings, count.map({ next < first + $0 * stride }) ?? true,
      end.map({ time(nil) < $0 }) ?? true
    {
      SeedSignal.begin(next)
      let world = World(Plan(seed: next, isCluster: cluster), on: machine)
      do throws(Finding) {
        try world.run()
      } catch {
        found += 1
        say("seed \(next): \(error)")
      }
      do throws(Finding) {
        try memory.note()
      } catch {
        // No single seed shows it.
        found += 1
        say("seeds \(first) to \(next): \(error)")
      }
      figures.add(world.figures)
      next += stride
    }
    let duration = start.duration(to: .now) / .seconds(1)
    let speed = Double(figures.time) / 1e9 / duration
    say(figures.text)
    let rate = Int(Double(figures.schedules) / duration)
    say("\(Int(duration)) s: \(rate) schedules a second, \(Int(speed)) times as fast as time")
    if found > 0 { throw ExitCode(1) }
    // Not all of it was run.
    if let signal = SeedSignal.end { throw ExitCode(128 + signal) }
  }

  private func plan(of seed: UInt64) -> Plan {
    let plan = Plan(seed: seed, isCluster: cluster)
    return only.map { plan.keeping($0.split(separator: ",").compactMap { Int($0) }) } ?? plan
  }

  private func replay(_ seed: UInt64, on machine: SimulationMachine) throws {
    let world = World(plan(of: seed), on: machine, keepsLog: true)
    var finding: Finding?
    do throws(Finding) { try world.run() } catch { finding = error }
    for line in world.log ?? [] { say(line) }
    say("trace \(String(world.traceHash, radix: 16))")
    guard let finding else { return }
    say("seed \(seed): \(finding)")
    throw ExitCode(1)
  }

  private func shrink(_ seed: UInt64, on machine: SimulationMachine) throws {
    let plan = Plan(seed: seed, isCluster: cluster)
    let world = World(plan, on: machine)
    do throws(Finding) {
      try world.run()
      say("seed \(seed): there is no finding")
    } catch {
      let places = Shrinker(plan, findingOf: error.kind, on: machine).shrink()
      for place in places { say("\(place): \(plan.steps[place])") }
      say(
        "ribsim \(cluster ? "--cluster " : "")--seed \(seed) --steps --only \(places.map(String.init).joined(separator: ","))"
      )
      throw ExitCode(1)
    }
  }

  /// Prints a line at once: a run may be ended at any time.
  private func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Starts the program anew, if dictionaries would have another order in each process.
  private func beDeterministic() {
    guard getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &arguments)
  }
}

extension SimulatedDisk.Lie: ExpressibleByArgument {}
