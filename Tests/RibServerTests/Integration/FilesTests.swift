import CurlTransport
import RibServer
import RibWeb
import Testing
import Wire
import WireHTTP

@testable import Showcase

/// Pages and schemas over real sockets.
struct FilesTests {
  @Test func page_isServedBesideTheEndpoints() async throws {
    var files = StaticFiles.client
    files.add("index.html", Array("<!doctype html><title>Mine</title>".utf8))
    files.add("healthz", Array("mine".utf8))
    try await withServer(files: files) { _, url in
      try await blocking {
        let client = try TwinClient(url)
        let page = try client.ask("GET", "/")
        #expect(page.status == 200 && page.body == "<!doctype html><title>Mine</title>")
        #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'self'") == true)
        let script = try client.ask("GET", "/riblet.js")
        #expect(script.status == 200 && script.headers["Content-Type"] == "text/javascript; charset=utf-8")
        let tag = try #require(script.headers["ETag"])
        #expect(script.headers.values(for: "Vary") == ["Accept-Encoding"])
        #expect(try client.ask("GET", "/riblet.js", headers: ["If-None-Match: \(tag)"]).status == 304)
        #expect(try client.ask("GET", "/healthz").body == "ok\n")
        for path in ["/nothing.js", "/../riblet.js", "/%2e%2e/riblet.js", "/./riblet.js", "/riblet.js/", "//riblet.js"]
        {
          #expect(try client.ask("GET", path).status == 404, "\(path)")
        }
        let other = try client.ask("POST", "/riblet.js")
        #expect(other.status == 405 && other.headers["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try client.ask("OPTIONS", "/riblet.js").headers["Allow"] == "GET, HEAD, OPTIONS")
      }
    }
  }

  @Test func server_withoutFiles_hasNone() async throws {
    try await withServer { _, url in
      try await blocking {
        let answer = try TwinClient(url).ask("GET", "/")
        #expect(answer.status == 404)
      }
    }
  }

  @Test func apps_areListedAndDescribed() async throws {
    try await withServer(apps: Showcase.apps) { _, url in
      try await blocking {
        let client = try TwinClient(url)
        let names = try client.ask("GET", "/v1/apps").json["apps"]
        #expect(names == .array(Showcase.apps.map(\.name).sorted().map(JSONValue.string)))
        let schema = try client.ask("GET", "/v1/apps/counter/schema")
        #expect(schema.status == 200)
        #expect(
          schema.body == #"""
            {"app":"counter","types":{"Counter":{"state":{"type":"object","properties":{"count":{"type":"integer"},"isNegative":{"type":"boolean"}},"required":["count","isNegative"]},"action":{"enum":["increment","decrement","reset",{"increment":{}},{"decrement":{}},{"reset":{}}]}}}}
            """#)
        #expect(try client.ask("GET", "/v1/apps/nothing/schema").status == 404)
        #expect(try client.ask("GET", "/v1/apps/counter").status == 404)
      }
    }
  }

  @Test func type_isDescribedOnceItWasAttached() async throws {
    try await withServer(apps: [Showcase.apps.first { $0.name == "home-detail" }].compactMap(\.self)) { _, url in
      try await blocking {
        let client = try TwinClient(url)
        let path = "/v1/apps/home-detail/schema"
        #expect(try client.ask("GET", path).json["types"]?["Home"] == nil)
        _ = try client.create(#"{"app":"home-detail"}"#)
        #expect(try client.act(#""1""#, #"{"to":"","a":"homeTapped"}"#).status == 200)
        let types = try client.ask("GET", path).json["types"]
        #expect(types?["Home"]?["state"]?["properties"]?["count"]?["type"] == .string("integer"))
      }
    }
  }

  @Test func app_thatNeedsParameters_saysSo() async throws {
    struct Wanted: Decodable { let user: String }
    try await withServer(apps: [App("my/app ü", parameters: Wanted.self) { _ in Counter() }]) { _, url in
      try await blocking {
        let schema = try TwinClient(url).ask("GET", "/v1/apps/my%2Fapp%20%c3%BC/schema")
        #expect(schema.status == 200 && schema.body.contains(#""$comment":"Without params no root can be built"#))
        #expect(try schema.json["types"] == .object([:]))
      }
    }
  }
}
