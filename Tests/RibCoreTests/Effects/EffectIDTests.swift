import RibCore
import Testing

struct EffectIDTests {
  private enum Name { case load, save }

  @Test func id_isItsValue() {
    #expect(EffectID(Name.load) == EffectID(Name.load))
    #expect(EffectID(Name.load) != EffectID(Name.save))
    #expect(EffectID("load") != EffectID(Name.load))
    #expect(EffectID("1") != EffectID(1))
    #expect(EffectID(7).description == "7")
  }

  @Test func hash_agreesWithEquality() {
    // Numbers are equal across their types, as AnyHashable has it.
    #expect(EffectID(1) == EffectID(1 as UInt8))
    #expect(Set([EffectID(1), EffectID(1 as UInt8), EffectID(1.0)]).count == 1)
    #expect(Set([EffectID("1"), EffectID(1), EffectID("1")]).count == 2)
  }
}
