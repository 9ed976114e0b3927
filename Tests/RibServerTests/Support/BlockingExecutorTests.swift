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
    #expect(try await blocking { Thread.current.name } == BlockingThread.name)
  }
}
