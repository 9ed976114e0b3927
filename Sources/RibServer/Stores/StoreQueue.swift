/// What a store was asked for and has not been given yet.
///
/// Reading sessions back is apart from the rest: after a restart all clients come back at once, and the commits of clients that
/// are there do not wait for that. A request to read a session may be overtaken by others, and overtakes none.
struct StoreQueue {
  /// How many requests a batch has at most: the more, the longer the first one waits for the last one.
  static let batchLimit = 512
  /// How many of them read sessions at most.
  static let readLimit = 64
  /// How many of them let clients come back to sessions that rest, at most: these read one row and write one.
  static let resumeLimit = 256

  private var writes: [StoreJob] = []
  /// Requests to read a session, and requests to let a client come back to one, each with the number of writes that were ever
  /// asked for before it.
  private var reads: [Reading] = []
  private var resumes: [Reading] = []
  /// The number of writes that were ever given out.
  private var givenCount = 0

  private typealias Reading = (job: StoreJob, predecessors: Int)

  /// How many of them do not read sessions.
  var writeCount: Int { writes.count }
  /// How many requests there are.
  var count: Int { writes.count + resumes.count + reads.count }

  /// Takes requests in.
  ///
  /// - Parameter jobs: in order.
  mutating func append(_ jobs: [StoreJob]) {
    for job in jobs {
      switch job.request {
      case .load: reads.append((job, predecessors: givenCount + writes.count))
      case .resume: resumes.append((job, predecessors: givenCount + writes.count))
      case .create, .write, .remove, .noteAbsence, .findExpired, .forget, .signOut, .findRevocations, .tidy, .probe,
        .measure:
        writes.append(job)
      }
    }
  }

  /// Gives out the requests of the next batch.
  ///
  /// - Returns: in order; empty if there is nothing.
  mutating func takeBatch() -> [StoreJob] {
    let readCount = min(reads.count, Self.readLimit)
    let resumeCount = min(resumes.count, Self.resumeLimit)
    let writeCount = min(writes.count, Self.batchLimit - readCount - resumeCount)
    givenCount += writeCount
    guard readCount > 0 || resumeCount > 0 || writeCount < writes.count else {
      // What is most often: all of it, without a copy.
      defer { writes = [] }
      return writes
    }
    let batch =
      Array(writes.prefix(writeCount)) + Self.take(resumeCount, of: &resumes, after: givenCount)
      + Self.take(readCount, of: &reads, after: givenCount)
    writes.removeFirst(writeCount)
    return batch
  }

  /// Takes requests out; one whose predecessors do not fit in this batch is for a later one, and so are those behind it.
  private static func take(_ count: Int, of readings: inout [Reading], after writes: Int) -> [StoreJob] {
    let due = readings.prefix(count).prefix { $0.predecessors <= writes }.map(\.job)
    readings.removeFirst(due.count)
    return due
  }
}
