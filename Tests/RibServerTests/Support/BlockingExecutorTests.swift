import Foundation
import RibTestSupport
import Testing

/// What fails in ``blocking(_:)`` belongs to its test: on a bare thread it would belong to none.
@Suite struct BlockingExecutorTests {
  @Test(arguments: ["one", "another"]) func failure_isThatOfItsTestAndRow(_ row: String) async throws {
    try await withKnownIssue {
      try await blocking {
        #expect(Test.current?.name == "failure_isThatOfItsTestAndRow(_:)")
        #expect(Test.Case.current?.isParameterized == true)
        Issue.record("This one is meant: \(row).")
      }
    } matching: { issue in
      issue.comments.contains { $0.rawValue == "This one is meant: \(row)." }
    }
  }

  @Test func error_isThrownToTheCaller() async {
    await #expect(throws: CocoaError.self) { try await blocking { throw CocoaError(.fileNoSuchFile) } }
  }

  @Test func body_hasAThreadOfItsOwn() async throws {
    #expect(!BlockingThread.isCurrent)
    let isOnItsOwn = try await blocking { BlockingThread.isCurrent }
    #expect(isOnItsOwn)
  }

  @Test(.blocking) func testThatBlocks_hasAThreadOfItsOwn() { #expect(BlockingThread.isCurrent) }

  @Test(.blocking) func testThatBlocks_hasOneAlsoAfterItHasWaited() async {
    await Task.yield()
    #expect(BlockingThread.isCurrent)
  }

  /// Nothing else would end it: the test is named, and so is its file.
  @Test func bodyThatDoesNotEnd_endsTheProcess() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      try await blocking(within: 1) { Thread.sleep(forTimeInterval: 600) }
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains(" has blocked a thread for 1 seconds, and ends the test run."), "\(errors)")
  }
}
