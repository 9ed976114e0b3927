import Foundation
import Testing

@testable import RibDevIssuer

struct IssuerKeyTests {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "rib-\(UUID())").path

  private var file: String { "\(directory)/issuer-key.pem" }

  @Test func key_isMadeOnce_forItsOwnerAlone() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let key = try IssuerKey(directory: directory)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["issuer-key.pem"])
    let again = try IssuerKey(directory: directory)
    #expect(again.name == key.name && again.coordinates == key.coordinates)
    #expect(IssuerKey().name != key.name)
  }

  @Test func name_isSixteenHexadecimalDigits() throws {
    #expect(IssuerKey().name.wholeMatch(of: /[0-9a-f]{16}/) != nil)
  }

  @Test func fileWithoutAKey_isAnErrorThatNamesIt() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data("no key".utf8).write(to: URL(filePath: file))
    let error = try #require(throws: UnusableKey.self) { try IssuerKey(directory: directory) }
    #expect(error.path == file)
  }

  @Test func directoryThatCannotBeMade_isAnErrorThatNamesIt() {
    #expect(throws: UnusableKey(path: "/nowhere/at/all", reason: "No such file or directory")) {
      try IssuerKey(directory: "/nowhere/at/all")
    }
  }

  @Test func base64URL_hasNoPaddingAndItsOwnAlphabet() {
    #expect(IssuerKey.base64URL([]) == "")
    #expect(IssuerKey.base64URL([0xFB, 0xEF, 0xFF]) == "--__")
    #expect(IssuerKey.base64URL([0xFF]) == "_w")
  }
}
