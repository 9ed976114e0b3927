import Synchronization

/// How far an observing effect has come: what its session's reducers have processed.
final class PublicationProgress: Sendable {
  /// The position of the last value that was handed to the reducer.
  private let processed: Atomic<UInt64>

  init(_ position: UInt64) { processed = Atomic(position) }

  var position: UInt64 { processed.load(ordering: .acquiring) }
  func didProcess(_ position: UInt64) { processed.store(position, ordering: .releasing) }
}

/// Reads publications in order, from a position on; belongs to one task.
final class PublicationReader<Value: Sendable>: Sendable {
  private let publications: Publications<Value>
  /// The reader's number, by which the publications' list of waiting readers has it.
  private let number: Int
  /// What keeps the values; nil if they are kept in any case.
  private let mark: PublicationMark<Value>?
  /// The position of the last value that was read.
  private let cursor: Atomic<UInt64>
  private let isSubscribed = Atomic(false)
  /// How far the session has come, for the bell.
  let progress: PublicationProgress

  /// Reads what is published after a mark, each time it is read from there anew.
  init(from mark: PublicationMark<Value>) {
    publications = mark.publications
    number = publications.makeReaderNumber()
    self.mark = mark
    cursor = Atomic(mark.position)
    progress = PublicationProgress(mark.position)
  }

  /// Reads what is kept, and what is published then.
  init(fromTheOldestIn publications: Publications<Value>) {
    self.publications = publications
    number = publications.makeReaderNumber()
    mark = nil
    cursor = Atomic(0)
    progress = PublicationProgress(0)
  }

  deinit { unsubscribe() }

  /// Counts as one that observes.
  func subscribe() {
    if !isSubscribed.exchange(true, ordering: .relaxed) { publications.noteSubscriber() }
  }

  private func unsubscribe() {
    if isSubscribed.exchange(false, ordering: .relaxed) { publications.forgetSubscriber() }
  }

  /// The next value, waiting for it; nil once the task is cancelled.
  func next() async -> Publication<Value>? {
    let publication = await withTaskCancellationHandler {
      await publications.next(after: cursor.load(ordering: .relaxed), for: number)
    } onCancel: {
      unsubscribe()
    }
    if let publication { cursor.store(publication.position, ordering: .relaxed) }
    return publication
  }

  /// Rings for what was published after what the session has processed.
  ///
  /// - Parameter topic: which the publications are of.
  /// - Returns: the bell.
  func makeBell(of topic: any AnyObject & Sendable) -> Bell {
    // Without the reader, whose mark keeps values.
    Bell(of: topic) { [publications, progress] ring in publications.arm(after: progress.position, ring) }
  }

  /// The values, until the task that reads them is cancelled or lets go of them.
  func makeStream() -> AsyncStream<Value> {
    subscribe()
    return AsyncStream { await self.next()?.value }
  }
}
