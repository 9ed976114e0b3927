/// Leaves out of a plan what a finding does not need (Zeller and Hildebrandt 2002, "Simplifying and Isolating Failure-Inducing
/// Input").
package struct Shrinker {
  private let plan: Plan
  private let machine: SimulationMachine
  private let kind: Finding.Kind

  /// A shrinker.
  ///
  /// - Parameters:
  ///   - plan: comes to a finding.
  ///   - kind: what the smaller plans have to come to.
  ///   - machine: what they run on.
  package init(_ plan: Plan, findingOf kind: Finding.Kind, on machine: SimulationMachine) {
    self.plan = plan
    self.kind = kind
    self.machine = machine
  }

  /// Looks for the fewest steps.
  ///
  /// - Returns: the places of the steps that are needed: without any one of them there is no such finding.
  package func shrink() -> [Int] {
    var kept = Array(plan.steps.indices)
    var size = max(kept.count / 2, 1)
    while true {
      var start = 0
      var isSmaller = false
      while start < kept.count {
        var rest = kept
        rest.removeSubrange(start..<min(start + size, kept.count))
        if isFound(with: rest) {
          kept = rest
          isSmaller = true
        } else {
          start += size
        }
      }
      if size > 1 { size /= 2 } else if !isSmaller { return kept }
    }
  }

  private func isFound(with places: [Int]) -> Bool {
    let world = World(plan.keeping(places), on: machine)
    do throws(Finding) {
      try world.run()
      return false
    } catch {
      return error.kind == kind
    }
  }
}
