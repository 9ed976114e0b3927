import Wire

/// A value that a user enters and that is neither shown nor kept, such as a password.
///
///     enum ViewAction: Decodable { case loginTapped(name: String, password: Secret<String>) }
///
///     case .loginTapped(let name, let password):
///       return .run(id: "login") { send in await send(.answered(await check(name, password.reveal() ?? ""))) }
///
/// A client sends the plain value. On its way to the effect that uses it, the value is in no log, no recording, no answer and no file: a
/// secret decodes from the value, encodes as null, and is described as `•••`. So its place is an action and the effect that
/// the action starts. It does not belong in a state or a view state, where it would be null for the store and for clients, and where
/// a test fails on it; a state that has to keep a secret for a moment has a ``Transient`` property for it, which is lost when the
/// session leaves memory.
///
/// ``reveal()`` returns nil where a secret has come back as the null that it was encoded as: after a restoration, and in the
/// replay of a recording.
///
/// The value stays in memory as long as any other value does: its bytes are not overwritten.
public struct Secret<Value: Decodable & Equatable & Sendable>: Equatable, Sendable {
  private let value: Value?

  /// A secret with a value.
  public init(_ value: Value) { self.value = value }

  /// A secret without a value, as it comes back from a store.
  public init() { value = nil }

  /// The value, for the code that uses it; nil if the secret has come back from a store or a recording.
  ///
  /// A reducer that decides by the value decides otherwise in a replay, which does not have the value. What a reducer has to
  /// know of it is drawn, so that the recording has the answer:
  ///
  ///     let isLong = Dependencies.draw("isLong") { (password.reveal() ?? "").count >= 12 }
  ///
  /// - Returns: the value.
  public func reveal() -> Value? { value }
}

extension Secret: Codable {
  /// Takes the value, or null as no value.
  ///
  /// - Throws: `DecodingError`, which names the place and repeats nothing of the value.
  public init(from decoder: any Decoder) throws {
    // Noted before the value is decoded: one of a wrong type may be a secret all the same.
    decoder.noteSecret()
    let container = try decoder.singleValueContainer()
    guard !container.decodeNil() else {
      value = nil
      return
    }
    do {
      value = try container.decode(Value.self)
    } catch {
      let reason = "The secret there is no \(Value.self)."
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
    }
  }

  /// Encodes null.
  ///
  /// - Throws: what the encoder throws; `CaptureError` where a test looks for secrets.
  public func encode(to encoder: any Encoder) throws {
    try SecretBan.check(Self.self)
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

extension Secret: SecretValue {}

extension Secret: TransientValue {
  /// No value.
  public static var initial: Secret { Secret() }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `•••`, whatever the value.
  public var description: String { "•••" }
  /// `•••`, whatever the value.
  public var debugDescription: String { description }
  /// Without children: `dump` and the like find nothing.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
