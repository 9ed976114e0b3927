import Testing

@testable import Wire

@Suite("Why a text is not JSON, and what it may cost")
struct JSONErrorTests {
  @Test("an error says what is wrong and where")
  func description_namesTheByte() {
    let error = JSONError(reason: .loneSurrogate, offset: 12)
    #expect(error.description == "lone surrogate in a string, at byte 12")
  }

  @Test("the tables of the parser's tests have every reason for a refusal")
  func everyReason_isTested() {
    let tested = Set(JSONParserTests.refused.map(\.reason))
    let elsewhere: Set<JSONError.Reason> = [.trailingBytes, .invalidUTF8, .loneSurrogate, .tooDeep, .tooLong]
    let all: Set<JSONError.Reason> = [
      .unexpectedEnd, .unexpectedByte, .trailingBytes, .invalidNumber, .controlCharacter, .invalidEscape,
      .loneSurrogate,
      .invalidUTF8, .tooDeep, .tooLong,
    ]
    #expect(tested.union(elsewhere) == all)
  }

  @Test("without being asked, a text may be 512 deep and 16 MiB long")
  func limits_haveDefaults() {
    #expect(JSONLimits() == JSONLimits(depth: 512, bytes: 16_777_216))
  }

  @Test("no text may be longer than its positions can count")
  func byteLimit_isCapped() {
    #expect(JSONLimits(bytes: .max).bytes == 4_294_967_295)
  }
}
