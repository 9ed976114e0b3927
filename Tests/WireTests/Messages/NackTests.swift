import Testing

@testable import Wire

@Suite("Refusals")
struct NackTests {
  static let codes: [(code: Nack.Code, text: String)] = [
    (.gone, "gone"), (.inactive, "inactive"), (.badAction, "bad_action"), (.forbidden, "forbidden"),
    (.refused, "refused"),
    (.poisoned, "poisoned"), (.failed, "failed"),
  ]

  @Test("every code is written and read", arguments: codes)
  func code_isWrittenAndRead(code: Nack.Code, text: String) throws {
    let nack = Nack(number: 3, code: code, message: "m\n")
    let json = #"{"n":3,"code":"\#(text)","message":"m\n"}"#
    let written = JSONWriter.text { writer in
      writer.beginObject()
      nack.write(into: &writer)
      writer.endObject()
    }
    #expect(written == json)
    #expect(try Nack(JSONElement(parsing: json)) == nack)
  }

  @Test("the table has every code")
  func table_isWhole() {
    #expect(Self.codes.map(\.code) == Nack.Code.allCases)
  }

  @Test("a refusal without a sentence is one")
  func message_mayBeMissing() throws {
    #expect(try Nack(JSONElement(parsing: #"{"n":0,"code":"gone"}"#)) == Nack(number: 0, code: .gone, message: ""))
  }

  /// A later version may have more of them: an action that was refused is no reason to give up the session.
  @Test("a code that is not known is a refusal like any other")
  func unknownCode_isFailed() throws {
    let bare = try Nack(JSONElement(parsing: #"{"n":1,"code":"eclipse"}"#))
    #expect(bare == Nack(number: 1, code: .failed, message: "eclipse"))
    let full = try Nack(JSONElement(parsing: #"{"n":1,"code":"eclipse","message":"No sun."}"#))
    #expect(full == Nack(number: 1, code: .failed, message: "No sun."))
  }

  @Test(
    "a missing or mistyped field is named",
    arguments: [
      (#"{"code":"gone"}"#, #""n""#), (#"{"n":"1","code":"gone"}"#, #""n""#), (#"{"n":-1,"code":"gone"}"#, #""n""#),
      (#"{"n":1}"#, #""code""#), (#"{"n":1,"code":1}"#, #""code""#),
    ])
  func otherJSON_isRefused(text: String, names: String) {
    let error = #expect(throws: MessageError.self) { try Nack(JSONElement(parsing: text)) }
    #expect(error?.description.contains(names) == true, "\(error?.description ?? "")")
  }
}
