import Testing
import Wire

@testable import RibCore

struct InterruptedEffectTests {
  @Test func interruptedEffect_isFoundByAnEqualName_notByItsText() throws {
    enum Name: Hashable, Sendable { case song }
    let key = IdempotencyKey(session: "", transaction: 1, ordinal: 1)
    let names: [EffectID] = [EffectID(1), EffectID("1"), EffectID(Name.song), EffectID("song")]
    for (index, name) in names.enumerated() {
      let saved = try StateCoder.encode([InterruptedEffect(name: name, key: key, isResumable: false)])
      let text = try StateCoder.read(String(decoding: saved, as: UTF8.self))
      let effects = try StateCoder.decode([InterruptedEffect].self, from: text)
      let found = [
        effects.contains(id: 1), effects.contains(id: "1"), effects.contains(id: Name.song),
        effects.contains(id: "song"),
      ]
      #expect(found == names.indices.map { $0 == index })
      #expect(effects.first?.id == name.description)
    }
  }
}
