import Testing

@testable import RibCore

/// When two states hold equal values, wherever these are stored.
struct SameValueTests {
  /// Not `Equatable`, and with bytes between its properties that no property uses.
  private struct Row {
    var isDone = false
    var text = ""
    var mood = Mood.calm
    var tags: [Tag] = []
    var other: Tag?
    @Transient var draft = ""
  }

  private struct Tag { var name: String }

  private enum Mood {
    case calm
    case bored
    case glad(Tag)
    case sad(Tag)
  }

  /// A text in memory of its own, too long for the bits of the value.
  private static func text(_ letter: Character) -> String { String(repeating: letter, count: 40) }

  private static func row(_ letter: Character = "a", _ mood: Mood = .calm) -> Row {
    Row(text: text(letter), mood: mood, tags: [Tag(name: text("t"))], other: Tag(name: text("o")), draft: text("d"))
  }

  @Test func equalValues_inOtherMemory_areTheSame() {
    #expect(haveSameValue(Self.row(), Self.row()))
    #expect(haveSameValue(Self.row("a", .glad(Tag(name: "x"))), Self.row("a", .glad(Tag(name: "x")))))
    #expect(haveSameValue([Self.row(), Self.row("b")], [Self.row(), Self.row("b")]))
    #expect(haveSameValue((), ()))
  }

  @Test func dictionaries_areCompared_inAnyOrder() {
    func tags(_ numbers: [Int], last: String = "x") -> [Int: Tag] {
      var tags: [Int: Tag] = [:]
      for number in numbers { tags[number] = Tag(name: Self.text("t")) }
      tags[99] = Tag(name: last)
      return tags
    }
    #expect(haveSameValue(tags(Array(0..<50)), tags((0..<50).reversed())))
    #expect(!haveSameValue(tags(Array(0..<50)), tags(Array(0..<50), last: "y")))
    #expect(!haveSameValue(tags(Array(0..<50)), tags(Array(1..<51))))
  }

  @Test(
    arguments: [
      { $0.isDone = true }, { $0.text = Self.text("b") }, { $0.mood = .bored }, { $0.mood = .glad(Tag(name: "")) },
      { $0.tags = [] }, { $0.tags[0].name = "" }, { $0.tags.append(Tag(name: "")) }, { $0.other = nil },
      { $0.other?.name = "" }, { $0.draft = "" },
    ] as [@Sendable (inout Row) -> Void])
  private func change_ofOneProperty_isAnotherValue(change: @Sendable (inout Row) -> Void) {
    var other = Self.row()
    change(&other)
    #expect(!haveSameValue(Self.row(), other))
  }

  @Test func casesOfOnePayload_areNotTheSame() {
    #expect(!haveSameValue(Mood.glad(Tag(name: "x")), .sad(Tag(name: "x"))))
    #expect(!haveSameValue(Mood.calm, .bored))
  }

  @Test func equatableValues_areComparedByTheirOwnRule() {
    #expect(haveSameValue(0.0, -0.0))
    #expect(haveSameValue(Double.nan, Double.nan))
    #expect(!haveSameValue(1, 2))
  }

  @Test func objects_areTheSameIfTheyAreOne() {
    final class Box {}
    struct Holder { let box: Box }
    let box = Box()
    #expect(haveSameValue(box, box))
    #expect(haveSameValue(Holder(box: box), Holder(box: box)))
    #expect(!haveSameValue(Holder(box: box), Holder(box: Box())))
  }
}
