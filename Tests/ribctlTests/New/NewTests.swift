import ArgumentParser
import Foundation
import Testing

@testable import ribctl

struct NewTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("new-\(UUID().uuidString)").path

  private func new(_ arguments: String...) throws {
    let command = try New.parse(arguments + ["--in", "\(folder)/Sources/App"])
    try command.run()
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
  }

  @Test func files_areWrittenForTheRibletAndItsChild() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try new("Home", "--child", "Detail")
    for name in ["Home", "Detail"] {
      #expect(try text("Sources/App/\(name)/\(name).swift").contains("struct \(name): Riblet {"))
      #expect(try text("Sources/App/\(name)/\(name)Builder.swift").contains("struct \(name)Builder: Builder {"))
      #expect(try text("Tests/AppTests/\(name)/\(name)Tests.swift").contains("struct \(name)Tests {"))
    }
  }

  @Test func nothing_isOverwritten() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try new("Detail", "--class")
    try new("Home", "--child", "Detail")
    #expect(try text("Sources/App/Detail/Detail.swift").contains("final class Detail"))
    let error = #expect(throws: ValidationError.self) { try new("Home", "--viewless") }
    #expect(error?.message == "\(folder)/Sources/App/Home/Home.swift is there already, and nothing was written.")
    #expect(try text("Sources/App/Home/Home.swift").contains("struct Home: Riblet {"))
  }

  @Test(arguments: [["home"], ["Ho me"], [""], ["Home", "--child", "detail"], ["Home", "--child", "Home"]])
  func name_hasToBeATypes(arguments: [String]) {
    #expect(throws: (any Error).self) { try New.parse(arguments + ["--in", "Sources/App"]) }
  }

  @Test(arguments: ["App", "Sources", "/tmp/App", "Sources/App/Deep"])
  func directory_hasToBeAModules(directory: String) {
    #expect(throws: (any Error).self) { try New.parse(["Home", "--in", directory]) }
  }
}
