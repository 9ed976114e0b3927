/// What a store was asked for and has not been given yet.
///
/// Reading sessions back is apart from the rest: after a restart all clients come back at once, and the commits of clients that
/// are there do not wait for that. A request to read a session may be overtaken by others, and overtakes none.
struct StoreQueue {
  /// How many requests a batch has at most: the more, the longer the first one waits for the last one.
  static let batchLimit = 512
  /// How many of them read sessions at most.
  static let readLimit = 64

  private var writes: [StoreJob] = []
  /// Requests to read a session, each with the number of writes that were ever asked for before it.
  private var reads: [(job: StoreJob, predecessors: Int)] = []
  /// The number of writes that were ever given out.
  private var givenCount = 0

  /// Takes requests in.
  ///
  /// - Parameter jobs: in order.
  mutating func append(_ jobs: [StoreJob]) {
    for job in jobs {
      switch job.request {
      case .load, .resume: reads.append((job, predecessors: givenCount + writes.count))
      case .create, .write, .remove, .noteAbsence, .findExpired, .forget, .tidy, .probe: writes.append(job)
      }
    }
  }

  /// Gives out the requests of the next batch.
  ///
  /// - Returns: in order; empty if there is nothing.
  mutating func takeBatch() -> [StoreJob] {
    let readCount = min(reads.count, Self.readLimit)
    let writeCount = min(writes.count, Self.batchLimit - readCount)
    givenCount += writeCount
    guard readCount > 0 || writeCount < writes.count else {
      // What is most often: all of it, without a copy.
      defer { writes = [] }
      return writes
    }
    // One whose predecessors do not fit in this batch is for a later one.
    let due = reads.prefix(readCount).prefix { $0.predecessors <= givenCount }
    let batch = Array(writes.prefix(writeCount)) + due.map(\.job)
    writes.removeFirst(writeCount)
    reads.removeFirst(due.count)
    return batch
  }
}
