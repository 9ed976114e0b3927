import CurlTransport
import Foundation
import RibClient
import Testing
import Wire

extension CurlClient {
  /// Acts and waits for the answer.
  func perform(_ action: String, at path: String = "") throws {
    try act(try JSONValue(parsing: action), to: .path(path))
    for case .refused(_, let nack) in try settle() { throw Refused(nack: nack) }
  }

  /// The node at a path, as the view has it: `login`, `tabs[1]/stack`.
  func node(_ path: String = "") throws -> JSONValue {
    let view = try #require(session.view)
    guard case .integer(var id)? = view["root"] else { throw Unexpected(value: view) }
    for step in path.split(separator: "/") {
      let parts = step.split(separator: "[")
      let index = parts.count > 1 ? Int(parts[1].dropLast()) ?? 0 : 0
      let ids = view["nodes"]?["\(id)"]?["children"]?[String(parts[0])]?["ids"]
      guard case .array(let list)? = ids, list.indices.contains(index), case .integer(let child) = list[index] else {
        throw Unexpected(value: ids ?? .null)
      }
      id = child
    }
    return try #require(view["nodes"]?["\(id)"])
  }

  /// What is seen of the node at a path.
  func state(_ path: String = "") throws -> JSONValue { try #require(try node(path)["state"]) }

  /// Takes messages until the view is as wanted.
  ///
  /// - Throws: `NeverTrue` if it is not after a minute of messages, and `CurlError.timedOut` if there is none.
  func wait(until isSo: (CurlClient) throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(60)
    while try !isSo(self) {
      guard ContinuousClock.now < end else { throw NeverTrue(seconds: 60) }
      _ = try receive()
    }
  }

  /// A token with which somebody else can join, and act.
  func shareToken() throws -> String {
    try share(.act)
    for _ in 0..<1000 {
      for case .shared(let token, _) in try receive() { return token }
    }
    throw NeverTrue(seconds: 0)
  }

  /// Has the system keep no more than so many bytes that were not read yet.
  func limitReceiveBuffer(to bytes: Int32) {
    var size = bytes
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  struct Refused: Error { let nack: Nack }
  struct Unexpected: Error { let value: JSONValue }
}
