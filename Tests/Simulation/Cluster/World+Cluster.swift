/// What the plan does to the nodes of a cluster, and to what is between them.
extension World {
  func disturb(by event: Plan.Event, _ random: inout SimulationRandom) {
    guard let cluster else { return }
    // Now and then for longer than nodes wait for each other.
    let duration = (random.oneIn(3) ? 12_000_000_000 : 0) + random.milliseconds(bits: 14)
    if event == .takeDatabaseAway {
      note("the database is away for \(duration / 1_000_000) ms")
      return cluster.takeDatabaseAway(for: duration, isRefusing: random.oneIn(2))
    }
    guard let process = anyProcess(of: &random) else { return }
    note("process \(process.number): \(event) for \(duration / 1_000_000) ms")
    let others = processes.filter { $0 !== process }
    switch event {
    case .cutFromDatabase: cluster.cutFromDatabase(process, for: duration)
    case .disturbStatements: cluster.disturb(process, for: duration)
    case .split:
      if !others.isEmpty { cluster.split(process, others[random.below(others.count)], for: duration) }
    case .isolate: for other in others { cluster.split(process, other, for: duration) }
    default: break
    }
  }
}
