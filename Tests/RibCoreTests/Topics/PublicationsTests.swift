import RibTesting
import Synchronization
import Testing

@testable import RibCore

/// Readers and bells of one log, at every point of one another's work.
@Suite(.timeLimit(.minutes(5))) struct PublicationsTests {
  /// All sequences of so many steps.
  private func schedules<Step>(of steps: [Step], count: Int) -> [[Step]] {
    count == 0 ? [[]] : schedules(of: steps, count: count - 1).flatMap { schedule in steps.map { schedule + [$0] } }
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    @discardableResult
    func add() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
  }

  private enum Step: CaseIterable { case publish, read, process, arm, cancel }

  @Test func bell_atAnyPoint_ringsOnceForWhatWasNotProcessed() {
    for schedule in schedules(of: Step.allCases, count: 6) {
      let publications = Publications<Int>(capacity: 2)
      let reader = PublicationReader(from: PublicationMark(in: publications))
      var (published, read, processed): (UInt64, UInt64, UInt64) = (0, 0, 0)
      var armed: [(token: BellToken, rings: Counter, expected: Int)] = []
      for step in schedule {
        switch step {
        case .publish:
          publications.publish(0)
          published += 1
          for index in armed.indices where armed[index].expected < 0 { armed[index].expected = 1 }
        case .read: read = publications.first(after: read)?.position ?? read
        case .process:
          reader.progress.didProcess(read)
          processed = read
        case .arm:
          let rings = Counter()
          // Minus one stands for a bell that waits.
          armed.append((reader.makeBell(of: reader).arm { rings.add() }, rings, published > processed ? 1 : -1))
        case .cancel:
          armed.last?.token.cancel()
          if armed.last?.expected == -1 { armed[armed.count - 1].expected = 0 }
        }
        #expect(armed.map(\.rings.value) == armed.map { max($0.expected, 0) }, "\(schedule)")
      }
      #expect(publications.bellCount == armed.count { $0.expected == -1 }, "\(schedule)")
    }
  }

  private enum Turn: CaseIterable { case publish, run, cancel }

  @Test func reader_atAnyPoint_missesNothing() {
    for schedule in schedules(of: Turn.allCases, count: 7) {
      let executor = ManualExecutor()
      let publications = Publications<Int>(capacity: 7)
      let reader = PublicationReader(from: PublicationMark(in: publications))
      let heard = Mutex<[Int]>([])
      let task = Task(executorPreference: executor) {
        reader.subscribe()
        while let next = await reader.next() { heard.withLock { $0.append(next.value) } }
      }
      var (published, due, isCancelled) = (0, 0, false)
      for turn in schedule {
        switch turn {
        case .publish:
          published += 1
          publications.publish(published)
        case .run:
          executor.runUntilIdle()
          if !isCancelled { due = published }
        case .cancel:
          task.cancel()
          isCancelled = true
        }
        let values = heard.withLock { $0 }
        #expect(values == Array(1..<values.count + 1), "\(schedule)")
        #expect(values.count >= due, "\(schedule)")
      }
      task.cancel()
      executor.runUntilIdle()
      #expect(publications.subscriberCount == 0, "\(schedule)")
    }
  }

  @Test func values_areKept_onlyWhileTheyAreMarked() {
    let publications = Publications<Int>(capacity: 3)
    publications.publish(1)
    #expect(publications.last == nil)
    var marks: [PublicationMark<Int>] = [PublicationMark(in: publications)]
    publications.publish(2)
    marks.append(PublicationMark(in: publications))
    publications.publish(3)
    #expect(marks.map(\.position) == [1, 2])
    #expect(publications.first(after: 0)?.value == 2)
    marks.removeFirst()
    #expect(publications.first(after: 0)?.value == 2)
    marks.removeFirst()
    #expect(publications.first(after: 0) == nil)
  }

  /// A value that publishes when it is released.
  private final class Parting: Sendable {
    let publications: Publications<Parting?>
    init(_ publications: Publications<Parting?>) { self.publications = publications }
    deinit { publications.publish(nil) }
  }

  @Test func codeOfOthers_runsUnlocked() {
    let publications = Publications<Parting?>(capacity: 1)
    let rings = Counter()
    let mark = PublicationMark(in: publications)
    let reader = PublicationReader(from: mark)
    let first = reader.makeBell(of: reader).arm {
      rings.add()
      publications.publish(nil)
      withExtendedLifetime(reader.makeBell(of: reader).arm { rings.add() }) {}
    }
    publications.publish(Parting(publications))
    publications.publish(nil)
    #expect(rings.value == 2)
    // The closure of a disarmed bell is the last to hold the value.
    let quiet = PublicationReader(from: PublicationMark(in: publications))
    let second = quiet.makeBell(of: quiet).arm { [parting = Parting(publications)] in withExtendedLifetime(parting) {} }
    second.cancel()
    withExtendedLifetime(first) {}
    #expect(publications.bellCount == 0)
  }

  @Test func threads_thatPublish_wakeWhoeverRests() async {
    let (threads, each) = (4, 5_000)
    let topic = Publications<Int>(capacity: 4)
    let database = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<threads {
        group.addTask {
          for _ in 0..<each { topic.publish(database.add()) }
        }
      }
      group.addTask {
        var read = 0
        while read < threads * each {
          let reader = PublicationReader(from: PublicationMark(in: topic))
          read = database.value
          guard read < threads * each else { break }
          let task = Task {
            var last = 0
            while let next = await reader.next() {
              last = max(last, next.value)
              reader.progress.didProcess(next.position)
            }
            return last
          }
          await Task.yield()
          task.cancel()
          read = max(read, await task.value)
          guard read < threads * each else { break }
          let tokens = Mutex<[BellToken]>([])
          await withCheckedContinuation { continuation in
            let token = reader.makeBell(of: reader).arm { continuation.resume() }
            tokens.withLock { $0.append(token) }
          }
        }
      }
    }
    #expect(topic.bellCount == 0)
    #expect(topic.subscriberCount == 0)
  }
}
