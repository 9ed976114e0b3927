import RibTestSupport
import Testing

@testable import Wire

@Suite("RFC 8785 §3.2.2.3 Numbers")
struct ShortestNumberTests {
  /// Appendix B of the RFC, but for negative zero, which a writer keeps.
  static let samples: [(bits: UInt64, text: String)] = [
    (0x0000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
    (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"), (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"), (0xC340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"), (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"),
    (0x44B5_2D02_C7E1_4AF6, "1e+23"), (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
    (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"), (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"),
    (0x444B_1AE4_D6E2_EF50, "1e+21"), (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"),
    (0x3EB0_C6F7_A0B5_ED8D, "0.000001"), (0x41B3_DE43_5555_5553, "333333333.3333332"),
    (0x41B3_DE43_5555_5554, "333333333.33333325"), (0x41B3_DE43_5555_5555, "333333333.3333333"),
    (0x41B3_DE43_5555_5556, "333333333.3333334"), (0x41B3_DE43_5555_5557, "333333333.33333343"),
    (0xBECB_F647_612F_3696, "-0.0000033333333333333333"), (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
  ]

  @Test("the samples of the RFC's appendix B", arguments: samples)
  func sample_isWritten(bits: UInt64, text: String) {
    #expect(JSONWriter.text { $0.number(Double(bitPattern: bits)) } == text)
    #expect(JSONValue.number(Double(bitPattern: bits)).text == text)
  }

  /// Doubles of every magnitude, most of them random, as V8's `JSON.stringify` writes them.
  static let otherEngine: [(bits: UInt64, text: String)] = [
    (0x6E78_9E6A_A1B9_65F4, "1.4238489803937894e+224"), (0x06C4_5D18_8009_454F, "4.5950444556268905e-276"),
    (0xF88B_B8A8_724C_81EC, "-4.6864070095040466e+272"), (0x1B39_896A_51A8_749B, "1.575464701838822e-177"),
    (0x53CB_9F0C_747E_A2EA, "4.609273758621373e+95"), (0x2C82_9ABE_1F45_32E1, "2.787202464570213e-94"),
    (0xC584_133A_C916_AB3C, "-7.766184242105762e+26"), (0x3EE5_7890_41C9_8AC3, "0.000010238147347856556"),
    (0xF3B8_488C_368C_B0A6, "-2.7166002272904965e+249"), (0x657E_ECDD_3CB1_3D09, "8.02030060670912e+180"),
    (0xC2D3_26E0_055B_DEF6, "-84230752530299.84"), (0x8621_A03F_E0BB_DB7B, "-3.884071093209543e-279"),
    (0x8E1F_7555_983A_A92F, "-1.1794492062552345e-240"), (0xB54E_0F16_00CC_4D19, "-6.276597341132743e-52"),
    (0x84BB_3F97_971D_80AB, "-7.157893672205578e-286"), (0x7D29_825C_7552_1255, "8.145973780791715e+294"),
    (0xC3CF_1710_2B7F_7F86, "-4480554237297626000"), (0x3466_E9A0_8391_4F64, "2.920150918583722e-56"),
    (0xD81A_8D2B_5A44_85AC, "-2.6154502802145496e+116"), (0xDB01_602B_100B_9ED7, "-2.408847890655044e+130"),
    (0xA903_8A92_1825_F10D, "-4.062794696117944e-111"), (0xEDF5_F1D9_0DCA_2F6A, "-4.957775247925741e+221"),
    (0x5449_6AD6_7BD2_634C, "1.0858219721122314e+98"), (0xDD7C_01D4_F540_7269, "-2.134553169019738e+142"),
    (0x4258_09AE_C2FA_8ED8, "412966652906.23193"), (0x440B_9A64_59E8_BF3D, "63648400728230700000"),
    (0x42D5_710F_6ADA_9ED9, "94301336595067.39"), (0x3D2B_7845_3A7E_0479, "4.879617837413164e-14"),
    (0x3C97_AE58_B629_FB7B, "8.216011597192994e-17"), (0x3F30_C458_6AE1_C12F, "0.00025584372168109803"),
    (0x432E_8F10_C53D_1132, "4300775746341017"), (0x4188_C212_869A_C51B, "51921488.82557126"),
    (0x42F1_74D0_1710_188B, "307094480814472.7"), (0x3EE0_B6BE_789C_DED1, "0.000007969781808377971"),
    (0x3D1B_7F0A_4F47_91A1, "2.4421576817098322e-14"), (0x42FA_7BED_CD30_3BB9, "465913167152059.56"),
    (0x3FD3_3333_3333_3334, "0.30000000000000004"), (0x3FD5_5555_5555_5555, "0.3333333333333333"),
    (0x3FE5_5555_5555_5555, "0.6666666666666666"), (0x441E_FA2A_1A27_ECEE, "142857142857142860000"),
    (0x419D_6F34_5480_0000, "123456789.125"), (0x4011_6666_6666_6666, "4.35"), (0x3EB4_B3FD_5942_CD96, "0.000001234"),
    (0x7FEF_FFFF_FFFF_FFFE, "1.7976931348623155e+308"), (0x0010_0000_0000_0000, "2.2250738585072014e-308"),
    (0x000F_FFFF_FFFF_FFFF, "2.225073858507201e-308"), (0x0000_0000_0000_0002, "1e-323"),
    (0x3EA0_C6F7_A0B5_ED8D, "5e-7"), (0x4340_0000_0000_0001, "9007199254740994"),
    (0x0010_0000_0000_0000, "2.2250738585072014e-308"), (0x7FE0_0000_0000_0000, "8.98846567431158e+307"),
    (0x0000_0000_0000_0003, "1.5e-323"),
  ]

  @Test("a number is written as ECMAScript writes it", arguments: otherEngine)
  func number_isWrittenAsByECMAScript(bits: UInt64, text: String) throws {
    #expect(JSONValue.number(Double(bitPattern: bits)).text == text)
    #expect(try JSONElement(parsing: text).double?.bitPattern == bits)
  }

  @Test("100,000 random numbers come back to the bit, in the shortest form", arguments: TestRun.seeds(81))
  func randomNumber_comesBack(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<50_000 {
      let number = Double(bitPattern: generator.next())
      guard number.isFinite, number != 0 else { continue }
      let text = JSONValue.number(number).text
      let digits = text.prefix { $0 != "e" }.filter(\.isNumber)
      try #require(Double(text)?.bitPattern == number.bitPattern, "seed \(seed)")
      // Swift's own description is the shortest; here only the layout is another.
      let shortest = number.description.prefix { $0 != "e" }.filter(\.isNumber)
      try #require(Self.significant(digits) == Self.significant(shortest), "seed \(seed): \(text)")
    }
  }

  /// Digits without zeros at either end.
  private static func significant(_ digits: String) -> Substring {
    var rest = digits.drop { $0 == "0" }
    while rest.last == "0" { rest.removeLast() }
    return rest
  }

  @Test("negative zero is the writer's only other form, and has none in canonical text")
  func negativeZero() {
    #expect(JSONWriter.text { $0.number(-0.0) } == "-0")
    #expect(JSONValue.number(-0.0).text == "0")
  }

  @Test("a number is laid out by its magnitude, whatever its digits", arguments: [1.0, 1.5, 1.2345678901234567])
  func magnitude_decidesTheLayout(mantissa: Double) throws {
    for exponent in -330...308 {
      guard let double = Double("\(mantissa)e\(exponent)"), double >= .leastNormalMagnitude else { continue }
      let text = JSONWriter.text { $0.number(double) }
      #expect(Double(text) == double)
      // What is rounded to the shortest digits may begin with those of the power below.
      let (low, high) = (1e-6, 1e21)
      #expect(text.contains("e") == (double < low || double >= high), "\(text)")
      #expect(!text.contains("e+0") && !text.contains("e-0"), "\(text)")
      #expect(JSONWriter.text { $0.number(-double) } == "-\(text)")
    }
    for exponent in -45...38 {
      guard let float = Float("\(mantissa)e\(exponent)"), float.isFinite, float > 0 else { continue }
      let text = JSONWriter.text { $0.number(float) }
      #expect(Float(text) == float)
      // Its digits are laid out as those of a double are.
      #expect(JSONValue.number(Double(text) ?? .nan).text == text)
    }
  }
}
