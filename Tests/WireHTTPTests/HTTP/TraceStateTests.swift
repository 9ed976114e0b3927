import Testing

@testable import WireHTTP

@Suite("W3C Trace Context §3.3 tracestate")
struct TraceStateTests {
  private static func text(of values: String...) -> String? {
    var headers = HeaderFields()
    for value in values { headers.append(name: "tracestate", value: value) }
    return TraceState(of: headers)?.text
  }

  @Test(arguments: [
    ("rojo=00f067aa0ba902b7", "rojo=00f067aa0ba902b7"), ("rojo=1,congo=t61rcWkgMzE", "rojo=1,congo=t61rcWkgMzE"),
    ("a=1 ,\tb= 2", "a=1,b= 2"), ("a=1,,b=2,", "a=1,b=2"), ("a_-*/9=!~", "a_-*/9=!~"), ("1t@s=x", "1t@s=x"),
    ("\(String(repeating: "k", count: 256))=v", "\(String(repeating: "k", count: 256))=v"),
    (
      "\(String(repeating: "t", count: 241))@\(String(repeating: "s", count: 14))=v",
      "\(String(repeating: "t", count: 241))@\(String(repeating: "s", count: 14))=v"
    ), ("k=\(String(repeating: "v", count: 256))", "k=\(String(repeating: "v", count: 256))"),
  ])
  func list_isRead(value: String, text: String) { #expect(Self.text(of: value) == text) }

  @Test func fields_areOneList() { #expect(Self.text(of: "a=1", "b=2,c=3") == "a=1,b=2,c=3") }

  @Test(arguments: [
    "", ",", "a", "=1", "a=", "a=1,a=2", "A=1", "1a=1", "a@1s=x", "@s=x", "t@=x", "a@b@c=x", "a b=1", "a=b=c", "a=é",
    "a=\u{7F}", "a.b=1", "\(String(repeating: "k", count: 257))=v", "\(String(repeating: "t", count: 242))@s=v",
    "t@\(String(repeating: "s", count: 15))=v", "k=\(String(repeating: "v", count: 257))",
    (1...33).map { "k\($0)=v" }.joined(separator: ","),
  ])
  func wrongList_isNone(value: String) { #expect(Self.text(of: value) == nil) }

  @Test func thirtyTwoMembers_areTaken() {
    #expect(Self.text(of: (1...32).map { "k\($0)=v" }.joined(separator: ",")) != nil)
  }
}
