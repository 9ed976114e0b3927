import Synchronization

/// How far the session's reducers have processed what an observing effect reads.
final class PublicationProgress: Sendable {
  /// The position of the last value that was handed to the reducer.
  private let processed: Atomic<UInt64>

  init(_ position: UInt64) { processed = Atomic(position) }

  var position: UInt64 { processed.load(ordering: .acquiring) }
  func didProcess(_ position: UInt64) { processed.store(position, ordering: .releasing) }
}

/// Reads publications in order, from a position on; used by one task.
final class PublicationReader<Value: Sendable>: Sendable {
  private let publications: Publications<Value>
  /// The reader's key in the list of readers that wait.
  private let number: Int
  /// Has the values kept until they are read; nil where they are kept in any case.
  private let mark: PublicationMark<Value>?
  /// The position of the last value that was read.
  private let cursor: Atomic<UInt64>
  private let isSubscribed = Atomic(false)
  /// What the session has processed, for the bell.
  let progress: PublicationProgress

  /// Reads what is published after a mark; each new reader begins at the mark again.
  init(from mark: PublicationMark<Value>) {
    publications = mark.publications
    number = publications.makeReaderNumber()
    self.mark = mark
    cursor = Atomic(mark.position)
    progress = PublicationProgress(mark.position)
  }

  /// Reads the values that are kept, and then what is published.
  init(fromTheOldestIn publications: Publications<Value>) {
    self.publications = publications
    number = publications.makeReaderNumber()
    mark = nil
    cursor = Atomic(0)
    progress = PublicationProgress(0)
  }

  deinit { unsubscribe() }

  /// Counts the reader as a subscriber.
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

  /// The last value that is kept, which counts as read.
  var newest: Value? {
    guard let publication = publications.newest else { return nil }
    cursor.store(publication.position, ordering: .relaxed)
    return publication.value
  }

  /// Takes note that the session has processed all that was read.
  func didProcess() { progress.didProcess(cursor.load(ordering: .relaxed)) }

  /// A bell that rings for publications after the last one that the session has processed.
  func makeBell(of topic: any AnyObject & Sendable) -> Bell {
    // The bell does not hold the reader, whose mark would have values kept.
    Bell(of: topic) { [publications, progress] ring in publications.arm(after: progress.position, ring) }
  }

  /// A stream of the values, which ends when the task that reads it is cancelled or drops it.
  func makeStream() -> AsyncStream<Value> {
    subscribe()
    return AsyncStream { await self.next()?.value }
  }
}
