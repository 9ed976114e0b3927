import Testing
import Wire

@testable import ribctl

struct ViewTextTests {
  @Test func render_putsChildrenBelowTheirRoute() throws {
    let view = """
      {"root":1,"nodes":{
        "1":{"type":"App","state":{"title":"Home"},
          "children":{"tabs":{"kind":"tabs","ids":[3,2],"selected":0},"alert":{"kind":"slot","ids":[10]}}},
        "2":{"type":"Two","state":{}},
        "3":{"type":"Three","state":{"b":1,"a":[1,null]},"children":{"detail":{"kind":"slot","ids":[4]}}},
        "4":{"type":"Four","state":{"on":true}},
        "10":{"type":"Alert","state":{"text":"No"}}}}
      """
    #expect(
      try render(view) == """
        App #1
          title: "Home"
          alert:
            Alert #10
              text: "No"
          tabs:
            Three #3
              a: [1,null]
              b: 1
              detail:
                Four #4
                  on: true
            Two #2
        """)
  }

  @Test func render_leavesOutEmptyRoutes() throws {
    let view = #"{"root":1,"nodes":{"1":{"type":"App","state":{},"children":{"detail":{"kind":"slot","ids":[]}}}}}"#
    #expect(try render(view) == "App #1")
  }

  @Test func render_ofAStateThatIsNoObject_isOneLine() throws {
    #expect(try render(#"{"root":1,"nodes":{"1":{"type":"Clock","state":12}}}"#) == "Clock #1\n  12")
  }

  @Test func render_ofACircle_ends() throws {
    let view = #"{"root":1,"nodes":{"1":{"type":"A","state":{},"children":{"a":{"kind":"slot","ids":[1]}}}}}"#
    #expect(try render(view) == "A #1\n  a:\n    #1 again")
  }

  @Test func render_marksWhatIsMissing() throws {
    let view = #"{"root":1,"nodes":{"1":{"state":{},"children":{"detail":{"kind":"slot","ids":[2]}}}}}"#
    #expect(try render(view) == "? #1\n  detail:\n    #2 is missing")
  }

  @Test(arguments: ["null", #"{"nodes":{}}"#, #"{"nodes":{},"root":"1"}"#])
  func render_ofWhatIsNoView_isItsJSON(text: String) throws {
    #expect(try render(text) == text)
  }

  /// Keys, names and texts of strangers do nothing to a terminal.
  @Test func render_showsWhatATerminalWouldObey() throws {
    let evil = "a\u{9B}31m\u{7F}\u{202E}\u{9D}"
    let view = """
      {"root":1,"nodes":{"1":{"type":"\(evil)","state":{"\(evil)":"\(evil)","line\\n":"x\\n\\u001b"},
        "children":{"\(evil)":{"kind":"slot","ids":[2]}}}}}
      """
    let seen = #"a\u009b31m\u007f\u202e\u009d"#
    #expect(
      try render(view) == """
        \(seen) #1
          \(seen): "\(seen)"
          line\\n: "x\\n\\u001b"
          \(seen):
            #2 is missing
        """)
    #expect(try render("\"\(evil)\"") == "\"\(seen)\"")
  }

  private func render(_ json: String) throws -> String { ViewText.render(try JSONValue(parsing: json)) }
}
