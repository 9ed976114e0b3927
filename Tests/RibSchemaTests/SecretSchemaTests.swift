import RibCore
import Testing
import Wire

@testable import RibSchema

struct SecretSchemaTests {
  private enum Action: Decodable {
    case signIn(name: String, password: Secret<String>, pin: Secret<Int>?)
  }

  private func text(_ schema: JSONSchema) -> String {
    var json = JSONWriter()
    schema.write(into: &json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test func secret_isWriteOnly() {
    #expect(text(JSONSchema(decoding: Secret<String>.self)) == #"{"type":"string","writeOnly":true}"#)
    #expect(
      text(JSONSchema(decoding: Secret<[Bool]>.self))
        == #"{"type":"array","items":{"type":"boolean"},"writeOnly":true}"#)
  }

  @Test func action_showsWhichPartsAreSecret() {
    #expect(
      JSONSchema(decoding: Action.self)
        == .cases([
          .init(
            "signIn",
            .payload([
              .init("name", .string()), .init("password", .secret(.string())),
              .init("pin", .secret(.integer()), isRequired: false),
            ]))
        ]))
  }

  @Test func secret_ofACustomSchema_keepsIt() {
    struct Hex: Decodable, Equatable, JSONSchemaProviding {
      static let schema = JSONValue.object(["type": .string("string"), "pattern": .string("^[0-9a-f]{6}$")])
    }
    #expect(
      text(JSONSchema(decoding: Secret<Hex>.self))
        == #"{"pattern":"^[0-9a-f]{6}$","type":"string","writeOnly":true}"#)
  }
}
