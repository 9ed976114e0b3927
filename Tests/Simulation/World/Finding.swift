/// Something that a schedule has come to and may not.
package struct Finding: Error, CustomStringConvertible, Sendable {
  /// What kind of thing.
  package enum Kind: String, Sendable {
    /// An action that was told to be done is not in the state.
    case lost
    /// An action is in the state twice.
    case doubled
    /// An action is answered as it may not be, or twice, or a refusal that was told is not told again.
    case otherAnswer = "another answer"
    /// An action that was told to be refused is in the state.
    case refusedAndDone = "refused and done"
    /// A client has seen a state that there never was, after a crash.
    case takenBack = "taken back"
    /// Something does not come to its end.
    case stuck
    /// A client's outbox is not answered.
    case unanswered
    /// A client is not shown what was published.
    case untold
    /// A client has another view than the server, or one that does not follow from what was done.
    case otherView = "another view"
    /// The two ends do not agree on the protocol.
    case brokenProtocol = "broken protocol"
    /// An effect has started whose cause never was.
    case causelessEffect = "an effect without a cause"
    /// An effect's work was not done, or was done twice.
    case otherBook = "another book"
    /// Something was done for a client whose identity is over, or who was signed out, or has to leave.
    case overstayed
    /// Somebody else has come in with a client's token.
    case stolen
    /// A session is gone before its time.
    case forgotten
    /// A session is there after its time.
    case kept
    /// Memory, a descriptor or a task is left of a process that has ended.
    case leak
    /// Something is told or shown that is not committed.
    case uncommitted
    /// A statement that came late has changed something.
    case overwritten
    /// A session was taken from a node that has it, and was not asked.
    case notAsked = "not asked"
    /// A session has moved again too soon.
    case movedAgain = "moved again"
    /// The store's file is not one any more, or cannot be opened.
    case damaged
  }

  /// What kind of thing.
  package let kind: Kind
  /// What it is.
  package let detail: String

  /// A finding.
  ///
  /// - Parameters:
  ///   - kind: what kind of thing.
  ///   - detail: what it is.
  package init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  package var description: String { "\(kind.rawValue): \(detail)" }
}
