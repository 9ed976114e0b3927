#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A parser, and what must hold whatever it is given.
public struct FuzzTarget: Sendable {
  /// By what it is chosen; also the name of its folders.
  public let name: String
  /// Tries one input; throws a ``Violation`` if something does not hold.
  public let check: @Sendable ([UInt8]) throws -> Void

  /// Every target.
  public static let all: [FuzzTarget] = [
    .requests, .responses, .addresses, .frames, .deflated, .json, .decoding, .patches, .differences, .messages, .costs,
  ]

  /// The one that the environment names; nil if it names none.
  public static let chosen: FuzzTarget? = {
    guard let name = getenv("FUZZ_TARGET") else { return nil }
    guard let target = all.first(where: { $0.name == String(cString: name) }) else {
      fatalError("there is no target \(String(cString: name))")
    }
    return target
  }()
}

/// What does not hold, and of what.
struct Violation: Error, CustomStringConvertible {
  let description: String
}

/// Checks that something holds.
///
/// - Parameters:
///   - condition: what must hold.
///   - reason: what is wrong if it does not.
/// - Throws: a ``Violation`` if it does not.
func require(_ condition: @autoclosure () -> Bool, _ reason: @autoclosure () -> String) throws {
  if !condition() { throw Violation(description: reason()) }
}

/// Does what must not fail.
///
/// - Parameters:
///   - what: what it is, for the message.
///   - body: does it.
/// - Returns: what `body` returns.
/// - Throws: a ``Violation`` if `body` throws anything.
func requireSuccess<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch {
    throw Violation(description: "\(what): \(error)")
  }
}
