import CWeb
public import RibServer

extension StaticFiles {
  /// The client for browsers: `riblet.js`, which keeps a session, `render.js`, which draws one, and `generic.js`, which
  /// draws what nobody has written a view for; each with its types.
  ///
  ///     var files = StaticFiles.client
  ///     files.add("index.html", page)
  ///     let server = Server(apps: apps, files: files)
  public static var client: StaticFiles { StaticFiles(policy: defaultPolicy) { $0.is_client } }

  /// The client, and the page that shows the showcase's apps, and any others.
  ///
  /// The page may also connect to this machine, where the issuer for development is that it gets tokens from.
  public static var showcase: StaticFiles { versioned(StaticFiles(policy: showcasePolicy) { $0.is_showcase }) }

  /// The page of the inspector, by which operators look at a server.
  ///
  /// The page is for an `AdminServer`, whose app "inspector" it draws, and of no use elsewhere.
  public static var inspector: StaticFiles { versioned(StaticFiles(policy: inspectorPolicy) { $0.is_inspector }) }

  private static func versioned(_ files: StaticFiles) -> StaticFiles {
    var files = files
    files.isVersioned = true
    return files
  }

  /// The `Content-Security-Policy` of the showcase's page.
  static let showcasePolicy = """
    \(defaultPolicy); connect-src 'self' http://127.0.0.1:* ws://127.0.0.1:* http://localhost:* ws://localhost:*
    """

  /// The `Content-Security-Policy` of the inspector's page: what the page is made of, and nothing else.
  ///
  /// The page makes no markup of texts, which is all that a server's clients could get into it, and says so by `trusted-types`.
  static let inspectorPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].joined(separator: "; ")

  private init(policy: String, where isIncluded: (web_file) -> Bool) {
    self.init(policy: policy)
    var index = 0
    while let file = web_file_at(index)?.pointee {
      if isIncluded(file) {
        add(served: String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
      }
      index += 1
    }
  }

  /// Adds a file of web/: a script of ours without what only readers want, and its source map.
  private mutating func add(served name: String, _ bytes: [UInt8]) {
    // A library of others stays as it is: a comment may be its licence.
    guard name.hasSuffix(".js"), !name.hasPrefix("vendor/") else { return add(name, bytes) }
    let script = ServedScript(name: name, source: bytes)
    add(name, script.code)
    add("\(name).map", script.map)
  }
}
