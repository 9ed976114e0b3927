import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Loads the text of a key set from a file or a URL, and blocks the calling thread meanwhile.
struct KeyLoader: Sendable {
  /// The text of a key set, and how long it is fresh.
  struct Loaded: Sendable {
    /// The key set, in JSON.
    let bytes: [UInt8]
    /// Seconds for which the key set is fresh, as the response says; nil if it does not, or for a file.
    let freshSeconds: Int?
  }

  /// The path or URL that is loaded, for the log.
  let name: String
  private let wall: @Sendable () -> Int
  private let body: @Sendable (_ now: Int) throws(KeyError) -> Loaded

  /// A loader.
  ///
  /// - Parameters:
  ///   - name: the path or URL, for the log.
  ///   - wall: seconds since 1970.
  ///   - body: loads the key set; its argument is the time that `wall` tells.
  init(
    _ name: String, wall: @escaping @Sendable () -> Int,
    _ body: @escaping @Sendable (_ now: Int) throws(KeyError) -> Loaded
  ) {
    self.name = name
    self.wall = wall
    self.body = body
  }

  /// Loads the key set.
  ///
  /// - Returns: its text.
  /// - Throws: ``KeyError``.
  func load() throws(KeyError) -> Loaded { try body(wall()) }

  /// A loader of a file.
  ///
  /// - Parameters:
  ///   - path: of the file.
  ///   - wall: seconds since 1970.
  /// - Returns: the loader.
  static func file(_ path: String, wall: @escaping @Sendable () -> Int) -> KeyLoader {
    KeyLoader(path, wall: wall) { _ throws(KeyError) in
      guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { throw .unreadable }
      return Loaded(bytes: Array(data), freshSeconds: nil)
    }
  }

  /// A loader of a URL.
  ///
  /// - Parameters:
  ///   - url: the key set's.
  ///   - download: how it is fetched.
  ///   - wall: seconds since 1970.
  /// - Returns: the loader.
  static func url(_ url: KeyURL, _ download: KeyDownload, wall: @escaping @Sendable () -> Int) -> KeyLoader {
    KeyLoader(url.text, wall: wall) { now throws(KeyError) in
      let response = try download.get(url)
      return Loaded(bytes: response.body, freshSeconds: response.freshness.seconds(at: now))
    }
  }

  /// A loader of the key set that an issuer's configuration document names (OpenID Connect Discovery 1.0 §4).
  ///
  /// - Parameters:
  ///   - url: the configuration document's; fetched with each load, as its `jwks_uri` may change.
  ///   - issuer: the issuer that the document has to name.
  ///   - download: how it is fetched.
  ///   - wall: seconds since 1970.
  /// - Returns: the loader.
  static func discovery(
    _ url: KeyURL, issuer: String, _ download: KeyDownload, wall: @escaping @Sendable () -> Int
  ) -> KeyLoader {
    KeyLoader(url.text, wall: wall) { now throws(KeyError) in
      let root = try KeySet.root(try download.get(url).body)
      // OpenID Connect Discovery 1.0 §4.3: the document names exactly the configured issuer.
      guard root["issuer"]?.isString(issuer) == true, let keys = root["jwks_uri"]?.string.flatMap(KeyURL.init),
        keys.isTLS || !url.isTLS
      else { throw .discovery }
      return try Self.url(keys, download, wall: wall).body(now)
    }
  }
}
