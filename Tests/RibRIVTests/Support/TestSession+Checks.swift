import RibCore
import RibTesting
import Testing
import Wire

extension TestSession {
  /// Acts on the root.
  ///
  /// - Returns: the patch, a line a replacement.
  @discardableResult
  func send(_ action: String) throws -> [String] {
    try act(action)
    return lastPatch.map { operation in
      guard case .replace(let place, let value) = operation else { return "\(operation)" }
      return "replace \(place) \(value.text)"
    }
  }

  /// A property of the root's view state.
  func property(_ name: String) -> JSONValue? { viewState()?[name] }

  /// The snapshot, by way of its JSON.
  func savedSnapshot() throws -> TreeSnapshot {
    let bytes = try StateCoder.encode(try tree.snapshot())
    return try StateCoder.decode(from: try StateCoder.read(String(decoding: bytes, as: UTF8.self)))
  }
}
