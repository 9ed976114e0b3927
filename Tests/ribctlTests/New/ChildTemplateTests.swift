import Testing

@testable import ribctl

struct ChildTemplateTests {
  @Test(arguments: [("Detail", "detail"), ("HTTPLog", "hTTPLog"), ("Switch", "switchChild"), ("Close", "closeChild")])
  func slot_isAPropertysName(name: String, slot: String) {
    #expect(ChildTemplate(name).slot == slot)
  }

  @Test func child_thatIsThere_isLookedAt() throws {
    let text = """
      struct Step: ViewlessRiblet {
        struct Config: Codable, Hashable {}
        enum Output: Equatable { case closed }
      }
      struct StepBuilder: Builder {}
      """
    let child = try ChildTemplate("Step", in: text)
    #expect(!child.isNew && child.isViewless && !child.hasStart)
    #expect(child.config(counting: "3") == "Step.Config()")
    #expect(try ChildTemplate("Step", in: nil) == ChildTemplate("Step"))
  }

  @Test(arguments: [
    ("Config", "as it seems, without a Config,"), ("closed", "without an Output with the case closed,"),
    ("Builder", "without the StepBuilder"),
  ])
  func child_thatLacksSomething_isRefused(part: String, reason: String) {
    let text = "struct Step { struct Config {}\nenum Output { case closed } }\nstruct StepBuilder {}"
      .replacing(part, with: "Other")
    let error = #expect(throws: NothingWritten.self) { try ChildTemplate("Step", in: text) }
    #expect(error?.reason.contains(reason) == true)
  }
}
