import WireHTTP

/// Files that a server hands out beside its own endpoints, such as the page that draws the views.
///
/// They are read once and compressed once, and found by their exact names: no request reaches the file system. Names have
/// no versions, so clients ask again each time (`Cache-Control: no-cache`) and are told by the `ETag` that nothing has
/// changed. With ``isVersioned`` they do not ask again.
public struct StaticFiles: Sendable {
  /// The `Content-Security-Policy` of pages, unless they are given another one: scripts, styles, images and connections of
  /// their own origin only, nothing inline, no frames around them, and no strings that become markup.
  public static let defaultPolicy = [
    "default-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "object-src 'none'",
    "require-trusted-types-for 'script'",
  ].joined(separator: "; ")

  /// Whether pages name their scripts, style sheets and icons by addresses that change with the files, so that clients ask for
  /// nothing that they have.
  ///
  /// In a page as it is served, `src="app.js"` is `src="/~…/app.js"`, and what the script imports by a relative name is found beside it. A
  /// script that imports the same module by an absolute name, or over an import map, would have two of it: then leave this off.
  public var isVersioned = false

  private var files: [String: StaticFile] = [:]  // safe text: own
  /// The `Content-Security-Policy` of pages.
  private let policy: String

  /// No files.
  ///
  /// - Parameter policy: the `Content-Security-Policy` of pages that are added.
  public init(policy: String = StaticFiles.defaultPolicy) { self.policy = policy }

  /// Adds a file, in the place of one of this name.
  ///
  /// - Parameters:
  ///   - name: its path below the root, such as `images/logo.svg`; the extension says of which type it is. `index.html`
  ///     is what a directory's own path leads to.
  ///   - bytes: what is in it.
  ///   - type: its media type, where the name has no extension that says so: `.well-known/openid-configuration`.
  public mutating func add(_ name: String, _ bytes: [UInt8], type: String? = nil) {
    let file = StaticFile(name, bytes, type: type, policy: policy)
    let path = "/" + StaticFile.encoded(name)
    files[path] = file
    if path.hasSuffix("/index.html") { files[String(path.dropLast("index.html".utf8.count))] = file }
  }

  /// Replaces a text in a file, for what is known only when the program runs.
  ///
  /// A file or a text that is not there is ignored.
  package mutating func replace(_ text: String, with other: String, in name: String) {
    guard let file = files["/" + StaticFile.encoded(name)] else { return }
    let content = String(decoding: file.bytes, as: UTF8.self)
    add(name, Array(content.replacing(text, with: other).utf8), type: file.type)
  }

  /// How many paths lead to a file.
  var count: Int { files.count }

  /// The file at a path.
  ///
  /// - Parameter path: as a request has it, percent-encoded.
  subscript(path: String) -> StaticFile? {
    if let file = files[path] { return file }
    guard isVersioned, path.hasPrefix(Self.versionPrefix) else { return nil }
    let version = path.dropFirst(Self.versionPrefix.utf8.count).prefix { $0 != "/" }
    let name = String(path.dropFirst(Self.versionPrefix.utf8.count + version.utf8.count))
    guard let file = files[name], !file.isPage else { return nil }
    // A page of an earlier version may still ask for its files. It gets the new ones, and browsers do not keep them at the old address.
    return version.utf8.elementsEqual(self.version.utf8) ? file.immutable : file
  }

  // MARK: Versions

  private static let versionPrefix = "/~"
  /// The version in the files' addresses; empty before ``versioned()``.
  private var version = ""

  /// The path of an address in a page of a directory, without `.` and `..` (RFC 3986 §5.2.4).
  private static func resolved(_ address: String, in directory: String) -> String {
    var parts: [Substring] = []
    let path = address.hasPrefix("/") ? address : directory + address
    for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      switch part {
      case ".": break
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The files as a server hands them out: the addresses in pages are those of the version, if ``isVersioned``.
  func versioned() -> StaticFiles {
    guard isVersioned else { return self }
    var copy = self
    let contents = files.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.type) \($0.value.hash)" } + [policy]
    copy.version = String(SessionToken.hash(contents.joined(separator: "\n")).prefix(16))
    for (path, file) in files where file.isPage {
      let directory = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
      let replaced = PageSource(file.bytes).replacingAddresses { address in
        let full = Self.resolved(address, in: String(directory))
        return files[full].map(\.isPage) == false ? "\(Self.versionPrefix)\(copy.version)\(full)" : nil
      }
      copy.files[path] = StaticFile("index.html", replaced, type: file.type, policy: policy)
    }
    return copy
  }
}

/// A file as it is sent.
struct StaticFile: Sendable {
  let bytes: [UInt8]
  /// The media type.
  let type: String
  /// Whether it is a page of HTML.
  let isPage: Bool
  /// The same compressed; nil if that makes it no shorter.
  private let gzipped: [UInt8]?
  private let headers: HeaderFields
  private var caching = "no-cache"
  /// The beginning of the content's hash, which is the `ETag`'s too.
  let hash: String

  init(_ name: String, _ bytes: [UInt8], type: String? = nil, policy: String) {
    self.bytes = bytes
    let type = type ?? Self.type(of: name)
    self.type = type
    var headers: HeaderFields = [
      "Content-Type": type, "X-Content-Type-Options": "nosniff",
    ]
    isPage = type.hasPrefix("text/html")
    // What a browser shows as a document of its own, and runs the scripts of.
    if isPage || type == "image/svg+xml" {
      headers.append(name: "Content-Security-Policy", value: isPage ? PageSource(bytes).policy(policy) : policy)
      headers.append(name: "Referrer-Policy", value: "no-referrer")
    }
    let plain = Response(status: .ok, headers: headers, body: bytes)
    gzipped = plain.gzipped()
    if gzipped != nil { headers.append(name: "Vary", value: "Accept-Encoding") }
    self.headers = headers
    hash = String(SessionToken.hash(bytes).prefix(24))
  }

  /// The same at an address that never has other content.
  var immutable: StaticFile {
    var copy = self
    copy.caching = "public, max-age=31536000, immutable"
    return copy
  }

  /// What a request for the file is answered.
  ///
  /// - Parameter head: the request's.
  /// - Returns: the file, or that the client has it already.
  func response(to head: RequestHead) -> Response {
    let gzipped = head.headers.accepts(coding: "gzip") ? gzipped : nil
    // Two forms of one file are two representations (RFC 9110 §8.8.3.3).
    let tag = gzipped == nil ? "\"\(hash)\"" : "\"\(hash)-gzip\""
    var headers = headers
    headers.append(name: "Cache-Control", value: caching)
    headers.append(name: "ETag", value: tag)
    if head.headers.elements(of: "If-None-Match").contains(where: { EntityTag.matches($0, tag) }) {
      return Response(status: .notModified, headers: headers)
    }
    guard let gzipped else { return Response(status: .ok, headers: headers, body: bytes) }
    headers.append(name: "Content-Encoding", value: "gzip")
    return Response(status: .ok, headers: headers, body: gzipped)
  }

  // MARK: Names

  /// The media type that a name's extension stands for.
  private static func type(of name: String) -> String {
    let end = name.split(separator: "/").last ?? ""
    let parts = end.split(separator: ".", omittingEmptySubsequences: false)
    return switch parts.count > 1 ? parts[parts.count - 1].lowercased() : "" {
    case "html": "text/html; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "ts", "txt", "md", "swift": "text/plain; charset=utf-8"
    case "json", "map": "application/json"
    case "webmanifest": "application/manifest+json"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "gif": "image/gif"
    case "webp": "image/webp"
    case "avif": "image/avif"
    case "ico": "image/vnd.microsoft.icon"
    case "woff2": "font/woff2"
    case "wasm": "application/wasm"
    default: "application/octet-stream"
    }
  }

  /// What stands for itself in a path: `pchar` of RFC 3986 §3.3, without the percent sign, and the slash between names.
  private static let plain = Set("-._~!$&'()*+,;=:@/".utf8)

  /// A name as browsers ask for it: what does not stand for itself is percent-encoded.
  static func encoded(_ name: String) -> String {
    var encoded = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      case let byte where plain.contains(byte): encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += byte < 16 ? "%0" + digits : "%" + digits
      }
    }
    return encoded
  }
}
