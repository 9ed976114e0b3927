import Foundation
import Testing
import Wire

struct SecretFinderTests {
  private enum Plain: Decodable {
    case tapped
    case moved(Int, to: Date?)
    case chosen(Choice, [String: Set<Double>])
    case typed(Form)
  }
  private enum Choice: String, Decodable { case one, two }
  private enum Level: Int, Decodable { case low = 3 }
  private struct Form: Decodable {
    var name: String
    var level: Level
    var address: URL
    var id: UUID
    var next: [Form]
  }

  @Test func type_withoutSecret_hasNone() {
    #expect(SecretFinder.secret(in: Plain.self) == .absent)
    #expect(SecretFinder.secret(in: Choice.self) == .absent)
    #expect(SecretFinder.secret(in: [String].self) == .absent)
  }

  private struct Deep: Decodable {
    var name: String
    var pins: [String: [Pin?]]
  }
  private enum Entering: Decodable {
    case tapped
    case entered(name: String, Deep)
  }

  @Test func secret_isFoundAtAnyDepth() {
    #expect(SecretFinder.secret(in: Pin.self) == .present)
    #expect(SecretFinder.secret(in: Pin?.self) == .present)
    #expect(SecretFinder.secret(in: Set<[String]>.self) == .absent)
    #expect(SecretFinder.secret(in: Entering.self) == .present)
  }

  /// Accepts no example.
  private struct Email: Decodable {
    init(from decoder: any Decoder) throws { throw CancellationError() }
  }
  private enum Picky: Decodable {
    case entered(Email, Pin)
    case tapped
  }

  @Test func type_thatAcceptsNoExample_isUnknown() {
    #expect(SecretFinder.secret(in: Email.self) == .unknown)
    #expect(SecretFinder.secret(in: Picky.self) == .unknown)
  }

  /// Asks without end.
  private struct Greedy: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      while true { _ = try container.decode([Int].self, forKey: .any) }
    }
    private enum Key: CodingKey { case any }
  }

  @Test func type_thatAsksWithoutEnd_isUnknown() {
    #expect(SecretFinder.secret(in: Greedy.self) == .unknown)
  }

  private indirect enum List: Decodable {
    case end
    case more(List, [List])
  }

  @Test func type_thatHoldsItself_comesToAnEnd() {
    #expect(SecretFinder.secret(in: List.self) == .unknown)
  }

  @Test func container_writtenByHand_isLookedInto() {
    struct ByHand: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let nested = try container.nestedContainer(keyedBy: Key.self, forKey: .any)
        var elements = try nested.nestedUnkeyedContainer(forKey: .any)
        while !elements.isAtEnd { _ = try elements.decode(Pin.self) }
      }
      private enum Key: CodingKey { case any }
    }
    #expect(SecretFinder.secret(in: ByHand.self) == .present)
  }
}
