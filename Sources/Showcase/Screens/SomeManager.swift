import RibCore

/// What the screens are given: a count that all sessions share.
struct SomeManager {
  let globalCount = SharedValue(0)
}
