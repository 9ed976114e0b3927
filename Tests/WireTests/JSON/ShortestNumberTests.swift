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
