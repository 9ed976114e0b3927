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
    #expect(!child.isNew && !child.isClosable && !child.hasStart)
    #expect(child.config(counting: "3") == "Step.Config()")
    #expect(try ChildTemplate("Step", in: nil) == ChildTemplate("Step"))
  }

  @Test func child_asItWasWritten_isKnown() throws {
    for kind in RibletTemplateTests.templates {
      let child = try ChildTemplate("Home", in: kind.riblet + kind.builder)
      #expect(child.isClosable == !kind.isViewless && child.hasStart == !kind.isViewless)
    }
  }

  @Test(arguments: [
    ("struct Config {}", "struct Config { let id: Int }", "a Config that can be made of nothing."),
    ("struct Config {}", "enum Kind { case config }", "a Config that can be made of nothing."),
    ("case closed", "case closed, saved", "an Output whose one case is closed."),
    ("enum Output", "enum Outcome", "an Output whose one case is closed."),
    ("StepBuilder", "StepMaker", "a StepBuilder."),
  ])
  func child_thatLacksSomething_isRefused(part: String, other: String, reason: String) {
    let text = "struct Step { struct Config {}\nenum Output { case closed } }\nstruct StepBuilder {}"
    #expect(throws: Never.self) { try ChildTemplate("Step", in: text) }
    let error = #expect(throws: NothingWritten.self) {
      try ChildTemplate("Step", in: text.replacing(part, with: other))
    }
    #expect(error?.reason.hasSuffix(reason) == true)
  }

  @Test func start_isAWholeName() throws {
    let text = "struct Step { struct Config { var startDate = 0 }\nenum Output { case closed } }\nstruct StepBuilder {}"
    #expect(try !ChildTemplate("Step", in: text).hasStart)
  }
}
