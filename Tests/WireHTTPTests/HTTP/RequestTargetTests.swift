import Testing

@testable import WireHTTP

@Suite("RFC 9112 §3.2 Request target")
struct RequestTargetTests {
  static let originForms: [(target: String, path: String, query: String?)] = [
    ("/", "/", nil),
    ("/a/b", "/a/b", nil),
    ("//a//", "//a//", nil),
    ("/?", "/", ""),
    ("/a?b=c&d", "/a", "b=c&d"),
    ("/a?b?c/d", "/a", "b?c/d"),
    ("/%2F%3f?%3F", "/%2F%3f", "%3F"),
    ("/{a}|b?[c]^`\\", "/{a}|b", "[c]^`\\"),
    ("/*", "/*", nil),
  ]

  @Test("§3.2.1: a path and perhaps a query", arguments: originForms)
  func originForm_isSplitAtTheQuestionMark(target: String, path: String, query: String?) throws {
    let head = try RequestReader.accept(wireBytes("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"))
    #expect(head.target == target)
    #expect(head.path == path)
    #expect(head.query == query)
    #expect(head.headers["Host"] == "a")
  }

  static let absoluteForms: [(target: String, path: String, query: String?, host: String)] = [
    ("http://b/c?d", "/c", "d", "b"),
    ("HTTP://b.example:8080/", "/", nil, "b.example:8080"),
    ("https://b", "/", nil, "b"),
    ("http://b?d", "/", "d", "b"),
    ("http://[::1]:80/c", "/c", nil, "[::1]:80"),
    ("http://b/http://c/", "/http://c/", nil, "b"),
  ]

  @Test("§3.2.2: a URL, whose host replaces the Host field", arguments: absoluteForms)
  func absoluteForm_isTakenApart(target: String, path: String, query: String?, host: String) throws {
    let head = try RequestReader.accept(wireBytes("GET \(target) HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n"))
    #expect(head.target == target)
    #expect(head.path == path)
    #expect(head.query == query)
    #expect(head.headers.values(for: "host") == [host])
    #expect(head.headers["X"] == "y")
  }

  @Test("§3.2.4: OPTIONS may ask about the server as a whole")
  func asterisk_isForOptions() throws {
    let head = try RequestReader.accept(wireBytes("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"))
    #expect(head.path == "*")
    #expect(head.query == nil)
  }

  @Test(
    "any other target is refused",
    arguments: [
      "GET *", "options *", "OPTIONS **", "GET a", "GET a/b", "GET ?q", "GET b:80",
      "GET http:", "GET http://", "GET http:///c", "GET http://?d", "GET http:/b", "GET http:b", "GET ftp://b/",
      "GET ws://b/", "GET http://u@b/", "GET http://u:p@b/", "GET http://:80/", "GET http://b:x/", "GET http://[::1/",
      "GET http://[]/", "GET http://[::g]/", "GET http://[::1]x/", "GET http://b\\c/", "GET /#f", "GET /\"", "GET /<",
      "GET />", "GET /\u{7F}", "GET /\u{0}", "GET /\u{E9}", "GET /\u{1B}[0m",
    ])
  func otherTarget_isRefused(methodAndTarget: String) throws {
    let error = try RequestReader.refuse(wireBytes("\(methodAndTarget) HTTP/1.1\r\nHost: a\r\n\r\n"))
    #expect(error.status == .badRequest)
  }

  @Test("§3.2.3: the authority-form is for proxies", arguments: ["CONNECT b:80", "CONNECT /"])
  func connect_isNotImplemented(methodAndTarget: String) throws {
    let error = try RequestReader.refuse(wireBytes("\(methodAndTarget) HTTP/1.1\r\nHost: b:80\r\n\r\n"))
    #expect(error.status == .notImplemented)
  }
}
