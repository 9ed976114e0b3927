import Testing

@testable import RibServer

@Suite struct StoreQueueTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop(name: "test", linger: 0, usesEpoll: false, messageLimit: 1000) }

  private func job(_ request: StoreRequest) -> StoreJob { StoreJob(request, on: loop) }

  private func names(_ jobs: [StoreJob]) -> [String] { jobs.map { String("\($0.request)".prefix { $0 != "(" }) } }

  @Test func requests_areTakenInOrder() {
    var queue = StoreQueue()
    #expect(queue.takeBatch().isEmpty)
    let jobs = [job(.probe), job(.tidy), job(.remove(sessionID: "a", SessionLease(row: 1, number: 1)))]
    queue.append(jobs)
    #expect(names(queue.takeBatch()) == ["probe", "tidy", "remove"])
    #expect(queue.takeBatch().isEmpty)
  }

  /// A session that is removed and looked for is not found: what reads comes after.
  @Test func reading_overtakesNothing() {
    var queue = StoreQueue()
    queue.append([job(.load(sessionID: "a")), job(.remove(sessionID: "a", SessionLease(row: 1, number: 1)))])
    queue.append([job(.load(sessionID: "b"))])
    #expect(names(queue.takeBatch()) == ["remove", "load", "load"])
    loop.stop()
  }

  /// Also where more is to be written than one batch takes: what reads waits for the batch that has what was asked for before.
  @Test func reading_waitsForWritesOfALaterBatch() throws {
    var queue = StoreQueue()
    queue.append([job(.load(sessionID: "first"))])
    queue.append((0..<1200).map { _ in job(.probe) } + [job(.remove(sessionID: "a", SessionLease(row: 1, number: 1)))])
    queue.append([job(.load(sessionID: "a"))])
    var batches: [[String]] = []
    while true {
      let batch = names(queue.takeBatch())
      guard !batch.isEmpty else { break }
      #expect(batch.count <= StoreQueue.batchLimit)
      batches.append(batch)
    }
    // The one that overtakes nothing does not wait.
    #expect(batches[0].last == "load")
    let all = batches.flatMap(\.self)
    let (removal, last) = (try #require(all.firstIndex(of: "remove")), try #require(all.lastIndex(of: "load")))
    #expect(removal < last)
    #expect(all.count == 1203)
    loop.stop()
  }

  /// Those who only come back to sessions that rest on are more at a time, and wait for no load.
  @Test func resumptions_doNotWaitForLoads() {
    var queue = StoreQueue()
    let resume = SessionResume(
      sessionID: "a", clientID: 1, tokenHash: "", attempt: 1, epoch: "", revision: 1, program: "")
    queue.append((0..<100).map { job(.load(sessionID: "\($0)")) })
    queue.append((0..<300).map { _ in job(.resume(resume)) })
    queue.append((0..<300).map { _ in job(.probe) })
    for expected in [[192, 256, 64], [108, 44, 36]] {
      let batch = names(queue.takeBatch())
      #expect(["probe", "resume", "load"].map { name in batch.count { $0 == name } } == expected)
    }
    #expect(queue.takeBatch().isEmpty)
    loop.stop()
  }

  /// All clients come back at once: those that are there do not wait for that.
  @Test func commits_doNotWaitForThoseThatComeBack() {
    var queue = StoreQueue()
    queue.append((0..<1000).map { job(.load(sessionID: "\($0)")) })
    queue.append([job(.probe)])
    #expect(names(queue.takeBatch()) == ["probe"] + Array(repeating: "load", count: 64))
    queue.append((0..<1000).map { _ in job(.probe) })
    let second = names(queue.takeBatch())
    #expect(second.count == 512 && second.count { $0 == "load" } == 64)
    var (loads, probes) = (128, 449)
    while true {
      let batch = queue.takeBatch()
      guard !batch.isEmpty else { break }
      loads += names(batch).count { $0 == "load" }
      probes += names(batch).count { $0 == "probe" }
      #expect(batch.count <= 512)
    }
    #expect(loads == 1000 && probes == 1001)
    loop.stop()
  }
}
