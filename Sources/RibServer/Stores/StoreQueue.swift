/// What a store was asked for and has not been given yet.
///
/// Reading sessions back is apart from the rest: after a restart all clients come back at once, and the commits of those that
/// are there do not wait for that. A request to read a session may be overtaken by others, and overtakes none.
struct StoreQueue {
  /// How many requests a batch has at most: the more, the longer the first one waits for the last one.
  static let batchLimit = 512
  /// How many of them read sessions at most.
  static let readLimit = 64
  /// How many of them let clients come back to sessions that rest, at most: these read one row and write one.
  static let resumeLimit = 256

  private var writes: [StoreJob] = []
  private var reads: [StoreJob] = []
  private var resumes: [StoreJob] = []

  /// Takes requests in.
  ///
  /// - Parameter jobs: in order.
  mutating func append(_ jobs: [StoreJob]) {
    for job in jobs {
      switch job.request {
      case .load: reads.append(job)
      case .resume: resumes.append(job)
      case .create, .write, .remove, .noteAbsence, .findExpired, .forget, .tidy, .probe: writes.append(job)
      }
    }
  }

  /// Gives out what is to be done next.
  ///
  /// - Returns: in order; empty if there is nothing.
  mutating func takeBatch() -> [StoreJob] {
    let readCount = min(reads.count, Self.readLimit)
    let resumeCount = min(resumes.count, Self.resumeLimit)
    let writeCount = min(writes.count, Self.batchLimit - readCount - resumeCount)
    guard readCount > 0 || resumeCount > 0 || writeCount < writes.count else {
      // What is most often: all of it, without a copy.
      defer { writes = [] }
      return writes
    }
    let batch = Array(writes.prefix(writeCount)) + resumes.prefix(resumeCount) + reads.prefix(readCount)
    writes.removeFirst(writeCount)
    reads.removeFirst(readCount)
    resumes.removeFirst(resumeCount)
    return batch
  }
}
