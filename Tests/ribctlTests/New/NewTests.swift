import ArgumentParser
import Foundation
import Testing

@testable import ribctl

struct NewTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("new-\(UUID().uuidString)").path

  private func new(_ arguments: String...) throws {
    try FileManager.default.createDirectory(atPath: "\(folder)/Sources/App", withIntermediateDirectories: true)
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
    let error = #expect(throws: NothingWritten.self) { try new("Home", "--viewless") }
    #expect(error?.description == "\(folder)/Sources/App/Home/Home.swift is there already. Nothing was written.")
    #expect(try text("Sources/App/Home/Home.swift").contains("struct Home: Riblet {"))
  }

  @Test func module_hasToBeThere() throws {
    let command = try New.parse(["Home", "--in", "\(folder)/Sources/App"])
    let error = #expect(throws: NothingWritten.self) { try command.run() }
    #expect(error?.reason.hasPrefix("There is no directory \(folder)/Sources/App:") == true)
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func childWithoutAView_isOnlyOpened() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try new("Step", "--viewless")
    try new("Home", "--child", "Step")
    let test = try text("Tests/AppTests/Home/HomeTests.swift")
    #expect(test.contains("$0.step.attach(Step.Config()) }") && !test.contains("to: Step.self"))
  }

  @Test(arguments: [
    ["State"], ["Home", "--child", "Config"], ["Props"], ["Home", "--child", "InternalAction"], ["home"], ["Ho me"],
    [""], ["Home", "--child", "detail"], ["Home", "--child", "Home"],
  ])
  func name_hasToBeATypes(arguments: [String]) {
    #expect(throws: (any Error).self) { try New.parse(arguments + ["--in", "Sources/App"]) }
  }

  @Test(arguments: ["App", "Sources", "/tmp/App", "Sources/App/Deep"])
  func directory_hasToBeAModules(directory: String) {
    #expect(throws: (any Error).self) { try New.parse(["Home", "--in", directory]) }
  }
}
