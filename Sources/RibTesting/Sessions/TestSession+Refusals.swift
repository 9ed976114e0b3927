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
  ///   - address: the node that the action is for; the root unless given.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Returns: the refusal: its code is `refused` if a reducer has refused the action, another one if the runtime has.
  /// - Throws: ``NotRefused`` if the action was done; or what ``act(_:to:as:sourceLocation:)`` throws, except for a
  ///   `Refusal`.
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
  ///   - path: the path of the node that the action is for, such as `detail/inner` or `pages[1]`.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Returns: the refusal: its code is `refused` if a reducer has refused the action, another one if the runtime has.
  /// - Throws: ``NotRefused`` if the action was done; or what ``act(_:at:sourceLocation:)`` throws, except for a
  ///   `Refusal`.
  public func refusal(
    of action: String, at path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Refusal {
    try refusal(of: action, to: .path(path), sourceLocation: sourceLocation)
  }
}

/// An action was to be refused, and was done.
public struct NotRefused: Error, Equatable, CustomStringConvertible {
  /// The action's JSON.
  public let action: String

  /// What is wrong, and what to look for.
  public var description: String {
    "\(action) was to be refused, and was done: no reducer that it comes to has returned .refuse(…) in this state."
  }
}
