import Foundation
import Testing

@testable import ribctl

/// What a riblet begins with.
///
/// That it compiles and its tests pass, `scripts/check-guide` sees to.
struct RibletTemplateTests {
  static let templates: [RibletTemplate] = [nil, ChildTemplate("Detail")].flatMap { child in
    [false, true].flatMap { isViewless in
      [false, true].map { RibletTemplate(name: "Home", isViewless: isViewless, isClass: $0, child: child) }
    }
  }

  @Test(arguments: templates)
  func riblet_isOfItsKind(template: RibletTemplate) {
    let kind = template.isViewless ? "ViewlessRiblet" : "Riblet"
    #expect(template.riblet.contains("\(template.isClass ? "final class" : "struct") Home: \(kind) {\n"))
    #expect(template.riblet.contains("static let typeName = \"Home\"\n"))
    #expect(template.riblet.contains("func view") == !template.isViewless)
    #expect(template.riblet.contains("DetailBuilder()") == (template.child != nil))
    #expect(template.riblet.contains("internalAction: InternalAction") == (template.child != nil))
    let hasReducer = !template.isViewless || template.child != nil
    #expect(template.riblet.contains("Effect<Self>") == (!template.isClass && hasReducer))
    #expect(template.builder.contains("func build(_ config: Home.Config) -> any Riblet<Home.Output>"))
    #expect(template.test(of: "App").contains("@testable import App\n"))
    #expect(template.test(of: "App").contains("to: Detail.self, at: \"detail\"") == (template.child != nil))
  }

  @Test(arguments: templates)
  func files_areFormatted(template: RibletTemplate) {
    for text in [template.riblet, template.builder, template.test(of: "App")] {
      #expect(text.hasSuffix("}\n") && !text.hasSuffix("\n\n"))
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        #expect(line.last != " " && line.count <= 120, "\(line)")
      }
    }
  }
}
