import Testing

@testable import RibWeb

@Suite struct ServedScriptTests {
  private static func served(_ source: String) -> [Substring] {
    String(decoding: ServedScript(name: "a.js", source: Array(source.utf8)).code, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static let end: [Substring] = ["//# sourceMappingURL=a.js.map", ""]

  @Test(arguments: [
    ("// one\n\n  a();  // two\n", ["a();"]),
    ("a /* b */ (c)\n/* d\n e */ f", ["a  (c)", "f"]),
    ("a/* b\n */c", ["a", "c"]),
    // What looks like a comment.
    ("x = \"// no\" + '/* no */';", ["x = \"// no\" + '/* no */';"]),
    (#"x = "\"// no";"#, [#"x = "\"// no";"#]),
    (#"x = /[/*]\/\/"/ // yes"#, [#"x = /[/*]\/\/"/"#]),
    ("return /a//b/ // yes", ["return /a//b/"]),
    ("x = a / b / c // yes", ["x = a / b / c"]),
    ("x = a[0] / b // yes", ["x = a[0] / b"]),
    ("x = f(1) / b // yes", ["x = f(1) / b"]),
    // A text keeps its lines and its spaces, also within the expressions of another text.
    (
      "  x = `a\n  // b ${ { c: `${d // e\n} // f` } } // g\n`; // h",
      ["x = `a", "  // b ${ { c: `${d", "} // f` } } // g", "`;"]
    ),
    ("x = `\\`// a`; // b", ["x = `\\`// a`;"]),
    ("x = `$ {// a`; // b", ["x = `$ {// a`;"]),
    // What does not end ends with the file.
    ("x = `a ${b", ["x = `a ${b"]), ("x /* a", ["x"]), ("x = 'a", ["x = 'a"]), ("x = /a", ["x = /a"]), ("x\\", ["x\\"]),
    ("", []),
  ]) func comments_areLeftOut(_ source: String, _ lines: [String]) {
    #expect(Self.served(source) == (lines.isEmpty ? [""] : lines.map { Substring($0) }) + Self.end)
  }

  @Test func map_leadsToTheSource() {
    let script = ServedScript(name: "vendor/a.js", source: Array("// one\n\n  a(\n   \"é\"\n )\n".utf8))
    #expect(
      String(decoding: script.map, as: UTF8.self)
        == #"{"file":"a.js","mappings":"AAEE;AACC;AACF","names":[],"#
        + #""sources":["source/a.js"],"sourcesContent":["// one\n\n  a(\n   \"é\"\n )\n"],"version":3}"#)
  }
}
