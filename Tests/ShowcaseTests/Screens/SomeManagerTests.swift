import Testing

@testable import Showcase

struct SomeManagerTests {
  @Test func changes_addUp_andAreSeenInOrder() async {
    let manager = SomeManager()
    await manager.updateCount(2)
    let counts = await manager.counts
    #expect(counts.now == 2)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { await manager.updateCount(1) } }
    }
    var seen: [Int] = []
    for await count in counts.later {
      seen.append(count)
      if count == 52 { break }
    }
    #expect(seen == Array(3...52))
  }
}
