import Foundation
import RibCore
import Testing
import Wire

@testable import RibTesting

/// A test fails before a deploy would lose saved states.
@Suite struct StateShapesTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shapes-\(UUID().uuidString)")

  /// Writes the file as it is after a deploy of one riblet, and compares another one with it.
  private func problems(
    from old: any Riblet, to new: any Riblet, _ mode: StateShapeMode = .compare
  ) throws -> [String] {
    defer { try? FileManager.default.removeItem(at: folder) }
    try check([old], .replace)
    do {
      try check([new], mode)
      return []
    } catch let error as StateShapeError {
      return error.problems
    }
  }

  @discardableResult
  private func check(_ riblets: [any Riblet], _ mode: StateShapeMode = .compare) throws -> [String] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try StateShapes.check(
      [], riblets: riblets, against: "shapes.json", test: folder.appendingPathComponent("Test.swift").path, mode)
  }

  private var file: String {
    get throws { try String(contentsOf: folder.appendingPathComponent("shapes.json"), encoding: .utf8) }
  }

  private struct Order: Codable, Equatable {
    var id: Int
    var note: String?
    var lines: [Line]
    var status: OrderStatus
    var payment: Payment
  }

  private struct Line: Codable, Equatable { var name: String }
  private enum OrderStatus: String, Codable { case open, sent, paid }
  private enum Payment: Codable, Equatable { case none, card(number: String), cash(Int) }

  @Test func sameShape_passes() throws {
    #expect(try problems(from: Saved<Order>(), to: Saved<Order>()) == [])
  }

  // MARK: Changes that lose something

  @Test func memberThatIsGone_isNamed() throws {
    struct Later: Codable { var id: Int, lines: [Line], status: OrderStatus, payment: Payment }
    let found = try problems(from: Saved<Order>(), to: Saved<Later>())
    #expect(
      found == [
        """
        Saved: /note of its state is gone, and stateVersion still is 1. What sessions have saved would be lost. Raise \
        stateVersion to 2 and write migrate(_:from:), or keep the member.
        """
      ])
  }

  @Test func memberThatWasRenamed_isNamed_alsoInAnElement() throws {
    struct OtherLine: Codable { var title: String }
    struct Later: Codable { var id: Int, note: String?, lines: [OtherLine], status: OrderStatus, payment: Payment }
    let found = try problems(from: Saved<Order>(), to: Saved<Later>())
    #expect(
      found.contains { $0.hasPrefix("Saved: /lines/-/name of its state is gone, and was probably renamed to title,") })
    #expect(found.contains { $0.hasPrefix("Saved: /lines/-/title of its state has to be there,") })
  }

  @Test func memberOfAnotherType_isNamed() throws {
    struct Later: Codable { var id: String, note: String?, lines: [Line], status: OrderStatus, payment: Payment }
    let found = try problems(from: Saved<Order>(), to: Saved<Later>())
    #expect(
      found.count == 1 && found[0].hasPrefix("Saved: /id of its state was an integer, and is a string,"), "\(found)")
  }

  @Test func newMemberThatIsRequired_isNamed_evenWithADefault() throws {
    struct Later: Codable {
      var id: Int, note: String?, lines: [Line], status: OrderStatus, payment: Payment
      var isGift = false
    }
    let found = try problems(from: Saved<Order>(), to: Saved<Later>())
    #expect(found.count == 1 && found[0].hasPrefix("Saved: /isGift of its state has to be there,"), "\(found)")
  }

  @Test func optionalMemberThatIsRequiredNow_isNamed() throws {
    struct Later: Codable { var id: Int, note: String, lines: [Line], status: OrderStatus, payment: Payment }
    let found = try problems(from: Saved<Order>(), to: Saved<Later>())
    #expect(found.count == 1 && found[0].hasPrefix("Saved: /note of its state has to be there,"), "\(found)")
  }

  @Test func caseThatIsGone_isNamed() throws {
    enum Later: String, Codable { case open, paid }
    enum Paid: Codable { case none, card(number: String) }
    struct LaterOrder: Codable { var id: Int, note: String?, lines: [Line], status: Later, payment: Paid }
    let found = try problems(from: Saved<Order>(), to: Saved<LaterOrder>())
    #expect(found.contains { $0.hasPrefix("Saved: /status of its state has no case sent any more,") }, "\(found)")
    #expect(found.contains { $0.hasPrefix("Saved: /payment of its state has no case cash any more,") }, "\(found)")
    #expect(found.count == 2)
  }

  @Test func payloadOfACase_isComparedToo() throws {
    enum Paid: Codable { case none, card(digits: String), cash(Int) }
    struct Later: Codable { var id: Int, note: String?, lines: [Line], status: OrderStatus, payment: Paid }
    let found = try problems(from: Saved<Order>(), to: Saved<Later>())
    #expect(
      found.contains { $0.contains("/payment/card/number of its state is gone, and was probably renamed to digits,") })
  }

  @Test func elementThatIsNoLongerOptional_isNamed() throws {
    let found = try problems(from: Saved<[Int?]>(), to: Saved<[Int]>())
    #expect(found.count == 1 && found[0].hasPrefix("Saved: /- of its state may be null in what is saved,"), "\(found)")
  }

  @Test func stateThatIsNotCodableAnyMore_isNamed() throws {
    let found = try problems(from: Saved<Order>(), to: Unsaved())
    #expect(found.count == 1 && found[0].hasPrefix("Saved: its state is not saved by itself any more,"), "\(found)")
  }

  /// The schema is the same, and what was saved is refused: only an example tells.
  @Test func decoderThatRefusesWhatWasSaved_isFoundByTheExample() throws {
    struct Loose: Codable { var code: String }
    struct Strict: Codable {
      var code: String
      init(code: String) { self.code = code }
      init(from decoder: any Decoder) throws {
        code = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .code)
        guard code.isEmpty else {
          throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no code"))
        }
      }
    }
    let found = try problems(from: Saved<Loose>(), to: Saved<Strict>(initial: Strict(code: "")))
    #expect(
      found.count == 1 && found[0].contains("does not decode any more, though its stateVersion still is 1"), "\(found)")
    #expect(found[0].contains("no code") && found[0].contains(#"{"code":"text"}"#))
  }

  // MARK: Changes that lose nothing

  @Test func optionalMemberAndCase_pass_andAreNews() throws {
    enum Later: String, Codable { case open, sent, paid, returned }
    struct LaterOrder: Codable {
      var id: Int, note: String?, lines: [Line], status: Later, payment: Payment
      var coupon: String?
      @Transient var isLoading = false
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    try check([Saved<Order>()], .replace)
    #expect(try check([Saved<LaterOrder>()]) == ["Saved: /status/returned is new.", "Saved: /coupon is new."])
    // Once they are in the file, they are watched as well.
    #expect(try check([Saved<LaterOrder>()], .accept) == [])
    #expect(try check([Saved<LaterOrder>()]) == [])
    #expect(throws: StateShapeError.self) { try check([Saved<Order>()]) }
  }

  @Test func integerThatIsAnyNumberNow_passes() throws {
    struct Old: Codable { var price: Int }
    struct New: Codable { var price: Double }
    #expect(try problems(from: Saved<Old>(), to: Saved<New>()) == [])
    #expect(try problems(from: Saved<New>(), to: Saved<Old>()).count == 1)
  }

  // MARK: Versions

  private struct First: Codable { var name: String }
  private struct Second: Codable { var first: String, last: String }

  private static func migrate(_ saved: SavedState) throws -> Second {
    Second(first: try saved.decode(First.self).name, last: "")
  }

  @Test func raisedVersion_isComparedByItsMigration_andThenKept() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try check([Saved<First>()], .replace)
    let second = Migrated<Second> { saved, _ in try Self.migrate(saved) }
    // The state migrates, and is to be in the file from now on.
    do {
      try check([second])
      Issue.record("The version is not in the file.")
    } catch let error as StateShapeError {
      #expect(error.problems.count == 1 && error.problems[0].contains("version 2 of its state is not in the file"))
    }
    try check([second], .accept)
    #expect(try check([second]) == [])
    let text = try file
    #expect(text.contains(#""stateVersion": 1"#) && text.contains(#""stateVersion": 2"#), "\(text)")
    // Each former version has to be migrated for ever.
    let forgetful = Migrated<Second> { _, version in throw NoWay(version: version) }
    #expect {
      try check([forgetful])
    } throws: { error in
      "\(error)".contains(
        "Saved: a state of version 1 is not migrated: migrate(_:from:) has to make a state of version 2 of it.")
        && "\(error)".contains("NoWay(version: 1)")
    }
  }

  @Test func loweredVersion_isNamed() throws {
    let second = Migrated<Second> { saved, _ in try Self.migrate(saved) }
    let found = try problems(from: second, to: Saved<Second>())
    #expect(found.first?.hasPrefix("Saved: stateVersion is 1, and was 2:") == true, "\(found)")
  }

  // MARK: The file

  @Test func file_isNotWrittenUnlessAsked_andAcceptTakesNoLoss() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: StateShapeError.self) { try check([Saved<First>()]) }
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("shapes.json").path))
    try check([Saved<First>()], .accept)
    let before = try file
    #expect(throws: StateShapeError.self) { try check([Saved<Second>()], .accept) }
    #expect(try file == before)
    try check([Saved<Second>()], .replace)
    #expect(try check([Saved<Second>()]) == [])
    #expect(try !file.contains("name"))
  }

  @Test func ribletThatIsGone_isNamed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try check([Saved<First>(), Unsaved(), Parent()], .accept)
    #expect {
      try check([Saved<First>()])
    } throws: { error in
      "\(error)".contains("Parent: no app attaches this riblet any more.")
    }
  }

  @Test func damagedFile_isRefused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(#"{"format":2,"riblets":{}}"#.utf8).write(to: folder.appendingPathComponent("shapes.json"))
    #expect {
      try check([Saved<First>()])
    } throws: { "\($0)".contains("is no file of state shapes that this version of RibTesting reads") }
  }

  // MARK: Finding riblets

  /// Children are found in containers that are empty at first, one for each case of a configuration, and theirs below them.
  @Test func ribletsInContainers_areFound() {
    let survey = ShapeSurvey()
    survey.look(at: Parent())
    #expect(survey.shapes.map(\.typeName) == ["Left", "Parent", "Part", "Right", "Saved"])
    #expect(survey.shapes.filter(\.isPart).map(\.typeName) == ["Part"])
  }

  @Test func stateThatRefusesZeros_needsASample() throws {
    struct Refusing: Codable { var even: Odd, rest: Int }
    struct Sampled: Codable { var even: PositiveOdd, rest: Int }
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect {
      try check([Saved<Refusing>(initial: Refusing(even: Odd(value: 1), rest: 0))], .accept)
    } throws: { "\($0)".contains("Saved: not all of Refusing can be looked at.") }
    try check([Saved<Sampled>(initial: Sampled(even: .sample, rest: 0))], .accept)
    #expect(try file.contains("rest"))
  }
}
