public import RibCore
public import Testing
public import Wire

extension TestSession {
  /// Sends a view action that is to be refused, and makes sure that clients see what they saw before.
  ///
  ///     let refusal = try session.refusal(of: #""sendTapped""#)
  ///     #expect(refusal.code == .refused)
  ///     #expect(refusal.message == "There is nothing to send.")
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - address: of its node; the root unless given.
  ///   - sourceLocation: where the test is.
  /// - Returns: why it was refused: by a reducer with the code `refused`, by the runtime with another one.
  /// - Throws: ``NotRefused`` if it was done, or what ``act(_:to:sourceLocation:)`` throws but a `Refusal`.
  public func refusal(
    of action: String, to address: NodeAddress = .path(""), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Refusal {
    do {
      try act(action, to: address, sourceLocation: sourceLocation)
    } catch let refusal as Refusal {
      checkExactness()
      return refusal
    }
    throw NotRefused(action: action)
  }

  /// Sends a view action that is to be refused, and makes sure that clients see what they saw before.
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - path: where its node is: `detail/inner`, `pages[1]`.
  ///   - sourceLocation: where the test is.
  /// - Returns: why it was refused.
  /// - Throws: ``NotRefused`` if it was done, or what ``act(_:at:sourceLocation:)`` throws but a `Refusal`.
  public func refusal(
    of action: String, at path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Refusal {
    try refusal(of: action, to: .path(path), sourceLocation: sourceLocation)
  }
}

/// A test wanted an action to be refused, and it was done.
public struct NotRefused: Error, Equatable, CustomStringConvertible {
  /// The action's JSON.
  public let action: String

  /// What is wrong, and what to look for.
  public var description: String {
    "\(action) was to be refused, and was done: no reducer that it comes to has returned .refuse(…) in this state."
  }
}
