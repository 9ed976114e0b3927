import Foundation
import Testing

@testable import RibAuth

@Suite struct SharedSecretTests {
  private static let secret = String(repeating: "s", count: 32)

  private func error(_ text: String) throws -> JWTSettingsError? {
    let folder = try ScratchFolder()
    let path = try folder.write(text, to: "secret")
    do throws(JWTSettingsError) {
      _ = try SharedSecret(.tests { $0.secretFile = path })
      return nil
    } catch {
      return error
    }
  }

  @Test func secret_isNotShort() throws {
    #expect(try error(Self.secret) == nil)
    #expect(try error(Self.secret + "\n") == nil)
    guard case .unusableFile(_, let reason)? = try error(String(repeating: "s", count: 31) + "\r\n") else {
      Issue.record("a short secret is taken")
      return
    }
    #expect(reason == "a secret has at least 32 bytes, and this one has 31.")
  }

  @Test func missingFile_isNamed() {
    #expect(throws: JWTSettingsError.unusableFile("/nowhere/secret", "it cannot be read.")) {
      _ = try SharedSecret(.tests { $0.secretFile = "/nowhere/secret" })
    }
  }
}
