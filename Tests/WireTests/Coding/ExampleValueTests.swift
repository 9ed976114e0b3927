import Foundation
import Testing
import Wire

struct ExampleValueTests {
  @Test func frequentTypes_haveAnExample() {
    #expect(ExampleValue.of(String.self) == "")
    #expect(ExampleValue.of(UInt8.self) == 0)
    #expect(ExampleValue.of(Decimal.self) == 0)
    #expect(ExampleValue.of(URL.self) != nil)
  }

  @Test func otherTypes_haveNone() {
    #expect(ExampleValue.of([Int].self) == nil)
    #expect(ExampleValue.of(Locale?.self) == nil)
    #expect(ExampleValue.of(Locale.self) == nil)
  }
}
