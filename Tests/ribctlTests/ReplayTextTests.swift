import Testing
import Wire

@testable import ribctl

struct ReplayTextTests {
  private static let header = #"{"t":"session","version":1,"build":"0.1","app":"dice","sid":"s","params":{"x":1}}"#
  private static let start =
    #"{"t":"start","tx":1,"at":5,"view":{"root":1,"nodes":{"1":{"type":"Dice","state":{"pips":1}}}}}"#
  private static let lines = [
    header, start,
    #"{"t":"act","tx":2,"at":5,"client":1,"n":1,"to":1,"a":{"roll":{}},"draws":[{"randomBits":9}],"ops":[{"op":"replace","path":"/nodes/1/state/pips","value":4}]}"#,
    #"{"t":"act","at":5,"client":1,"n":2,"to":"","a":"x","refused":{"code":"gone","message":"No."}}"#,
    #"{"t":"report","tx":3,"at":5,"node":1,"type":"Dice","key":"s-2-1","effect":"ask","action":{"told":{}},"ops":[]}"#,
    #"{"t":"ended","at":5,"node":1,"type":"Dice","key":"s-2-1","failed":true}"#,
    #"{"t":"back","tx":4,"at":5,"to":1,"ops":[{"op":"move","from":"/nodes/1/state/pips","path":"/nodes/1/state/was"}]}"#,
    header,
    #"{"t":"restore","tx":4,"at":5,"snapshot":{},"view":{"root":1,"nodes":{"1":{"type":"Dice","state":{"pips":4}}}}}"#,
    #"{"t":"walk","tx":5,"at":5,"node":1,"type":"Dice","ops":[]}"#,
    #"{"t":"active","tx":6,"at":5,"active":false,"ops":[]}"#,
  ]

  private func recording() throws -> SessionRecording {
    try SessionRecording(parsing: Array(Self.lines.joined(separator: "\n").utf8))
  }

  @Test func render_showsEachTransactionAndWhatItChanged() throws {
    var said: [String] = []
    try ReplayText.render(try recording()) { said.append($0) }
    #expect(
      said.joined(separator: "\n") == """
        session s of dice {"x":1}, RibServer 0.1
        1 start
            Dice #1
              pips: 1
        2 act 1 of client 1 on node 1: {"roll":{}}
          drew randomBits: 9
          replace /nodes/1/state/pips 4
            Dice #1
              pips: 4
        - act 2 of client 1 on the root: "x"
          refused: No. (gone)
        3 report of effect ask of Dice #1: {"told":{}}
        - failure of effect without a name of Dice #1
        4 back from node 1
          move /nodes/1/state/was from /nodes/1/state/pips
            Dice #1
              was: 4
        session s of dice {"x":1}, RibServer 0.1
        4 restore
            Dice #1
              pips: 4
        5 walk at Dice #1
        6 deactivate
        """)
  }

  /// A recording is as its session's users were: what they have said does nothing to a terminal.
  @Test func render_showsWhatATerminalWouldObey() throws {
    let evil = "\u{9B}31m\u{202E}"
    let lines = [
      Self.header.replacing("dice", with: evil), Self.start.replacing("Dice", with: evil),
      #"{"t":"act","at":5,"client":1,"n":2,"to":"","a":"\#(evil)","refused":{"code":"gone","message":"\#(evil)\n"}}"#,
    ]
    var said: [String] = []
    try ReplayText.render(try SessionRecording(parsing: Array(lines.joined(separator: "\n").utf8))) { said.append($0) }
    for text in said { #expect(text.unicodeScalars.allSatisfy { $0.isVisible || $0 == "\n" }, "\(text.visible)") }
    #expect(said.contains(#"  refused: \u009b31m\u202e\n (gone)"#), "\(said)")
  }

  @Test func viewAfterATransaction_isTheLastOfItsNumber() throws {
    func pips(_ number: UInt64) throws -> JSONValue? {
      try ReplayText.view(of: try recording(), after: number)?["nodes"]?["1"]?["state"]?["pips"]
    }
    #expect(try pips(1) == .integer(1))
    #expect(try pips(3) == .integer(4))
    #expect(try pips(4) == .integer(4))
    #expect(try ReplayText.view(of: try recording(), after: 9) == nil)
  }

  @Test func operationThatDoesNotApply_namesItsLine() throws {
    let patch = #"{"t":"act","tx":2,"at":5,"to":1,"a":1,"ops":[{"op":"remove","path":"/nodes/7"}]}"#
    let recording = try SessionRecording(parsing: Array([Self.header, Self.start, patch].joined(separator: "\n").utf8))
    #expect(
      throws: SessionRecordingError.malformed(line: 3, reason: #"the document has no place "/nodes/7""#)
    ) {
      try ReplayText.render(recording) { _ in }
    }
  }
}
