import Foundation
import RibWeb
import Testing
import Wire
import WireHTTP

@testable import RibServer

/// What is kept of files, and what a request for one is answered.
@Suite struct StaticFilesTests {
  private func head(_ path: String = "/", _ fields: String...) throws -> RequestHead {
    var reader = RequestReader(limits: HTTPLimits())
    var buffer = ReceiveBuffer()
    let lines = ["GET \(path) HTTP/1.1", "Host: localhost"] + fields
    buffer.append(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8).span)
    return try #require(try reader.nextHead(from: &buffer))
  }

  private let page = Array(String(repeating: "<p>Hello, hello.</p>\n", count: 100).utf8)

  @Test func file_hasItsTypeAndItsTag() throws {
    var files = StaticFiles()
    files.add("index.html", page)
    let response = try #require(files["/"]).response(to: head())
    #expect(response.status == .ok && response.body == page)
    #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
    #expect(response.headers["Content-Security-Policy"] == StaticFiles.defaultPolicy)
    #expect(response.headers["Cache-Control"] == "no-cache")
    #expect(response.headers["X-Content-Type-Options"] == "nosniff")
    #expect(response.headers["Vary"] == "Accept-Encoding")
    let tag = try #require(response.headers["ETag"])
    #expect(tag.count == 26 && tag.hasPrefix("\"") && tag.hasSuffix("\""))
    files.add("index.html", page + page)
    #expect(try #require(files["/index.html"]).response(to: head()).headers["ETag"] != tag)
  }

  @Test func file_isCompressed_forWhoTakesIt() throws {
    var files = StaticFiles()
    files.add("app.js", page)
    files.add("short.js", [1])
    files.add("logo.png", page)
    let file = try #require(files["/app.js"])
    let plain = file.response(to: try head())
    let gzipped = file.response(to: try head("/", "Accept-Encoding: br, gzip"))
    #expect(gzipped.headers["Content-Encoding"] == "gzip" && gzipped.body.count < 200)
    #expect(gzipped.headers["ETag"] != plain.headers["ETag"])
    #expect(gzipped.headers["Content-Security-Policy"] == nil)
    for path in ["/short.js", "/logo.png"] {
      let response = try #require(files[path]).response(to: try head("/", "Accept-Encoding: gzip"))
      #expect(response.headers["Content-Encoding"] == nil && response.headers["Vary"] == nil)
    }
  }

  private static let importMap = #"{"imports":{"react":"./react.js"}}"#

  /// A page whose inline import map is allowed, and no other script.
  @Test(arguments: [
    (#"<script type="importmap">\#(importMap)</script>"#, true),
    (#"<SCRIPT TYPE=importmap>\#(importMap)</SCRIPT >"#, true),
    (#"<script async type='importmap' >\#(importMap)</script>"#, true),
    (#"<script>\#(importMap)</script>"#, false),
    (#"<!-- <script type="importmap">\#(importMap)</script> -->"#, false),
    (#"<title><script type="importmap">\#(importMap)</script></title>"#, false),
    (#"<p title='<script type="importmap">'>\#(importMap)</p>"#, false),
    (#"<script type="module">\#(importMap)</script>"#, false),
    (#"<script type="importmap">alert(1)</script>"#, false),
    (#"<script type="importmap">{}</script>"#, false),
    (#"<script type="importmap">[1]</script>"#, false),
    // HTML §13.2.5: comments that end at once, or by "--!>".
    (#"<!--><script type="importmap">\#(importMap)</script> -->"#, true),
    (#"<!---><script type="importmap">\#(importMap)</script> -->"#, true),
    (#"<!-- --!><script type="importmap">\#(importMap)</script> -->"#, true),
    (#"<!----><script type="importmap">\#(importMap)</script>"#, true),
    (#"<!-- -- > <script type="importmap">\#(importMap)</script> -->"#, false),
    (#"<!x <script type="importmap">\#(importMap)</script>"#, false),
    (#"<?x <script type="importmap">\#(importMap)</script>"#, false),
    (#"</p title='<script type="importmap">\#(importMap)</script>'>"#, false),
    (#"<iframe><script type="importmap">\#(importMap)</script></iframe>"#, false),
    (#"<title></titles><script type="importmap">\#(importMap)</script></title>"#, false),
  ])
  func importMapOfAPage_isAllowed(page: String, isAllowed: Bool) throws {
    var files = StaticFiles()
    files.add("index.html", Array(page.utf8))
    let response = try #require(files["/"]).response(to: head())
    let policy = try #require(response.headers["Content-Security-Policy"])
    // `printf '%s' '{"imports":{"react":"./react.js"}}' | openssl dgst -sha256 -binary | base64`
    let source = "'sha256-CkSKoPO4oIL9lYChppHInWqvVtYYXEHlgh7m5ZNhPu0='"
    #expect(policy == StaticFiles.defaultPolicy + (isAllowed ? "; script-src 'self' \(source)" : ""))
  }

  @Test func importMap_isHashedAsBrowsersReadIt() {
    let lines = ["{", #""imports": {}}"#]
    let sources = ["\n", "\r\n", "\r"].map { end in
      PageSource(Array("<script type=importmap>\(lines.joined(separator: end))</script>".utf8)).importMapSources
    }
    #expect(Set(sources).count == 1 && sources[0].count == 1)
    for end in ["<", "</", "</script", "<script type=importmap", "<script type=", "<script =", "<!--", "<a '"] {
      #expect(PageSource(Array(end.utf8)).importMapSources.isEmpty, "it ends")
    }
  }

  @Test func importMap_comesBesideWhatAPolicySaysOfScripts() {
    let page = PageSource(Array("<script type=importmap>\(Self.importMap)</script>".utf8))
    let hash = "'sha256-CkSKoPO4oIL9lYChppHInWqvVtYYXEHlgh7m5ZNhPu0='"
    #expect(page.policy("default-src 'none'; script-src 'self'") == "default-src 'none'; script-src 'self' \(hash)")
    #expect(page.policy("default-src 'none'; img-src *") == "default-src 'none'; img-src *; script-src \(hash)")
    #expect(page.policy("script-src 'none'") == "script-src \(hash)")
    let elements = "script-src 'self'; script-src-elem 'none'"
    #expect(page.policy(elements) == "script-src 'self'; script-src-elem \(hash)")
    for source in ["'nonce-x'", "'SHA256-x'", "'sha384-x'", "'sha512-x'", "'strict-dynamic'"] {
      let policy = "script-src 'unsafe-inline' \(source)"
      #expect(page.policy(policy) == "\(policy) \(hash)", "browsers ignore 'unsafe-inline' here")
    }
    for policy in ["img-src 'self'", "default-src 'self' 'unsafe-inline'", ""] {
      #expect(page.policy(policy) == policy, "all inline scripts are allowed")
    }
  }

  @Test func versionedFiles_areAskedForOnce() throws {
    var files = StaticFiles()
    let source = """
      <script type="module" src="app.js"></script><link rel=stylesheet href='/css/a.css'><script src="other.js"></script>
      <a href="app.js">app.js</a><!-- <script src="app.js"> --><link rel="canonical" href="deep/index.html">
      <link rel="manifest" href="app.js"><link rel="preload" href="deep/index.html">
      """
    files.add("index.html", Array(source.utf8))
    files.add("deep/index.html", Array(#"<script src="./app.js"></script><script src="../app.js"></script>"#.utf8))
    for name in ["app.js", "css/a.css", "deep/app.js", "~own/app.js"] { files.add(name, page) }
    #expect(files.versioned()["/"]?.bytes == Array(source.utf8), "unless told, nothing is changed")
    files.isVersioned = true
    let served = files.versioned()
    func caching(_ path: String) throws -> String? { try served[path]?.response(to: head()).headers["Cache-Control"] }
    let html = try #require(served["/"].map { String(decoding: $0.bytes, as: UTF8.self) })
    let version = try #require(html.firstMatch(of: #/src="(\/~[0-9a-f]{16})\/app.js"/#)?.1)
    let expected = source.replacing(#"src="app.js"></"#, with: #"src="\#(version)/app.js"></"#)
      .replacing("'/css", with: "'\(version)/css")
    #expect(html == expected)
    let deep = try #require(served["/deep/"]?.bytes)
    let scripts = ["/deep/app.js", "/app.js"].map { #"<script src="\#(version)\#($0)"></script>"# }
    #expect(String(decoding: deep, as: UTF8.self) == scripts.joined())
    #expect(try caching("/~own/app.js") == "no-cache")
    #expect(try caching("\(version)/app.js") == "public, max-age=31536000, immutable")
    #expect(try caching("/app.js") == "no-cache")
    #expect(try caching("/") == "no-cache")
    // What a page of an earlier version loads late.
    #expect(try caching("/~0123456789abcdef/app.js") == "no-cache")
    let others = ["/~", "/~/", "/~x"] + ["", "/", "/none.js", "/index.html", "app.js"].map { "\(version)\($0)" }
    for path in others { #expect(served[path] == nil) }
    files.add("app.js", page + page)
    #expect(files.versioned()["/"]?.bytes != served["/"]?.bytes)
  }

  /// A preload has the address by which its user asks for the file.
  @Test func preload_isVersioned_ifItsUserIs() throws {
    var files = StaticFiles()
    files.isVersioned = true
    files.add("a.js", page)
    let kinds = ["script": true, "STYLE": true, "font": true, "image": false, "fetch": false, "": false]
    for (kind, isVersioned) in kinds {
      let source = #"<link rel="preload" as="\#(kind)" href="a.js">"#
      files.add("index.html", Array(source.utf8))
      #expect((files.versioned()["/"]?.bytes != Array(source.utf8)) == isVersioned, "as \(kind)")
    }
  }

  @Test func file_hasTheTypeThatItIsGiven() throws {
    var files = StaticFiles()
    files.add(".well-known/openid-configuration", [1], type: "application/json")
    let response = try #require(files["/.well-known/openid-configuration"]).response(to: head())
    #expect(response.headers["Content-Type"] == "application/json")
  }

  @Test func file_thatTheClientHas_isNotSent() throws {
    var files = StaticFiles()
    files.add("app.js", page)
    let file = try #require(files["/app.js"])
    let tag = try #require(file.response(to: try head()).headers["ETag"])
    for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
      let response = file.response(to: try head("/", "If-None-Match: \(known)"))
      #expect(response.status == .notModified && response.body.isEmpty && response.headers["ETag"] == tag)
    }
    for known in ["\"other\"", tag + "x", String(tag.dropFirst())] {
      #expect(file.response(to: try head("/", "If-None-Match: \(known)")).status == .ok)
    }
    // What is known of the plain file says nothing of the compressed one.
    #expect(file.response(to: try head("/", "If-None-Match: \(tag)", "Accept-Encoding: gzip")).status == .ok)
  }

  @Test func names_areFoundAsBrowsersWriteThem() throws {
    var files = StaticFiles()
    files.add("a b/ü.txt", [1])
    files.add("docs/index.html", [2])
    files.add("logo@2x (1).png", [3])
    #expect(files["/logo@2x%20(1).png"] != nil)
    #expect(files["/a%20b/%C3%BC.txt"] != nil && files["/a b/ü.txt"] == nil)
    #expect(files["/docs/"] != nil && files["/docs"] == nil && files["/docs/index.html"] != nil)
    #expect(files["/"] == nil && files["/docs/../a%20b/%C3%BC.txt"] == nil)
  }

  @Test func directory_isReadOnce_withoutWhatIsHiddenOrLinked() throws {
    let directory = try TemporaryDirectory()
    let root = URL(fileURLWithPath: directory.path)
    try Data("secret".utf8).write(to: root.appending(path: "secret.txt"))
    let web = root.appending(path: "web")
    try FileManager.default.createDirectory(at: web.appending(path: "deep/er"), withIntermediateDirectories: true)
    try Data("one".utf8).write(to: web.appending(path: "index.html"))
    try Data("two".utf8).write(to: web.appending(path: "deep/er/two.js"))
    try Data("no".utf8).write(to: web.appending(path: ".env"))
    try FileManager.default.createSymbolicLink(
      at: web.appending(path: "linked.txt"), withDestinationURL: root.appending(path: "secret.txt"))
    try FileManager.default.createSymbolicLink(at: web.appending(path: "up"), withDestinationURL: root)
    let files = try StaticFiles(directory: web.path)
    // The page has two paths.
    #expect(files.count == 3)
    #expect(try #require(files["/deep/er/two.js"]).response(to: head()).body == Array("two".utf8))
    try Data("three".utf8).write(to: web.appending(path: "index.html"))
    #expect(try #require(files["/"]).response(to: head()).body == Array("one".utf8))
  }

  @Test func directory_thatIsNotThere_isAnErrorThatNamesIt() throws {
    #expect(throws: StaticFilesError(path: "/nowhere/web", reason: "No such file or directory")) {
      try StaticFiles(directory: "/nowhere/web")
    }
  }

  /// Who adds a file to web/ adds it to Sources/CWeb/web.c: for the showcase's page, for the inspector's, or for both.
  @Test func pages_haveAllFilesOfWeb() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../web").standardized
    let names = try #require(FileManager.default.subpaths(atPath: root.path)).filter { name in
      var isDirectory: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: root.appending(path: name).path, isDirectory: &isDirectory)
      return isThere && !isDirectory.boolValue && !name.hasPrefix(".")
    }
    let (showcase, inspector) = (StaticFiles.showcase, StaticFiles.inspector)
    let inspectors = Set(names.filter { $0.hasPrefix("admin") })
    #expect(!inspectors.isEmpty)
    // Scripts are served without comments: the source is in the map.
    let scripts = Set(names.filter { $0.hasSuffix(".js") && !$0.hasPrefix("vendor/") })
    for name in names {
      let bytes = try [UInt8](Data(contentsOf: root.appending(path: name)))
      let isScript = scripts.contains(name)
      let path = name == "admin.html" ? "/" : "/\(name)\(isScript ? ".map" : "")"
      let page = inspectors.contains(name) ? inspector : showcase
      let file = try #require(page[path], "\(name) is not in the program")
      var served = try file.response(to: head()).body
      if isScript {
        let map = try JSONValue(parsing: String(decoding: served, as: UTF8.self))
        guard case .array(let sources)? = map["sourcesContent"], case .string(let source)? = sources.first else {
          Issue.record("The map of \(name) has no source.")
          continue
        }
        served = Array(source.utf8)
      }
      #expect(served == bytes, "\(name) is another one in the program")
    }
    // The apps' code, as the page shows it.
    let sources = root.appending(path: "../Sources/Showcase").standardized
    let apps = try String(contentsOf: root.appending(path: "apps.js"), encoding: .utf8)
    let code = apps.matches(of: /(?:swift|next): "([^"]+)"/).map { String($0.1) }
    for name in code {
      let file = try #require(showcase["/code/\(name)"], "the code of \(name) is not in the program")
      #expect(try file.response(to: head()).body == [UInt8](Data(contentsOf: sources.appending(path: name))))
    }
    let paths = names.filter { !inspectors.contains($0) }.count + scripts.subtracting(inspectors).count
    #expect(code.count == 14 && showcase.count == paths + code.count + 1)
    #expect(inspectors.allSatisfy { showcase["/\($0)"] == nil })
    // Its page gets tokens from an issuer on the user's machine.
    let policy = try #require(showcase["/"]).response(to: head()).headers["Content-Security-Policy"]
    #expect(
      policy == StaticFiles.defaultPolicy
        + "; connect-src 'self' http://127.0.0.1:* ws://127.0.0.1:* http://localhost:* ws://localhost:*")
    // Nothing reaches the inspector's page but what it is made of.
    let strict = try #require(inspector["/"]).response(to: head()).headers["Content-Security-Policy"]
    #expect(
      strict == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        + "trusted-types 'none'")
    #expect(inspector["/showcase.js"] == nil && inspector["/vendor/qrcode.js"] == nil)
    let client = StaticFiles.client
    #expect(client["/admin.js"] == nil)
    #expect(client["/riblet.js"] != nil && client["/render.d.ts"] != nil && client["/"] == nil)
  }
}
