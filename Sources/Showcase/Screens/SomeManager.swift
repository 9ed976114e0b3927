import RibCore

/// What the screens are given: a count that all sessions share, on whichever node they are.
struct SomeManager {
  let globalCount = ClusterValue(name: "screens.globalCount", 0)
}
