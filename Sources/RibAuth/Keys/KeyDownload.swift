import CCurl

/// A GET request for keys, by libcurl.
///
/// Redirects are not followed, as they may lead to a server that is not in the configuration. Only the URL's own scheme is allowed.
struct KeyDownload {
  /// The response to a fetch of a key set.
  struct Response: Sendable {
    /// The body.
    let body: [UInt8]
    /// For how long the body is fresh.
    let freshness: Freshness
  }

  /// Collects what libcurl hands over, in callbacks on the thread that calls ``KeyDownload/get(_:)``.
  private final class Receiver {
    var body: [UInt8] = []
    var freshness = Freshness()
    var isTooLong = false

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
      guard body.count + bytes.count <= KeySet.byteLimit else {
        isTooLong = true
        return 0
      }
      body.append(contentsOf: bytes)
      return bytes.count
    }

    func takeLine(_ bytes: UnsafeRawBufferPointer) -> Int {
      let line = String(decoding: bytes, as: UTF8.self)
      // A further response begins: the one before was interim (1xx).
      if line.hasPrefix("HTTP/") { freshness = Freshness() }
      freshness.take(line)
      return bytes.count
    }
  }

  /// Seconds that the request may take.
  let keysTimeoutSeconds: Int
  /// A file with the CA certificates for the server; empty for the system's.
  let caFile: String

  /// Fetches a URL, and blocks the calling thread meanwhile.
  ///
  /// - Parameter url: the URL.
  /// - Returns: the response, whose status is 200.
  /// - Throws: ``KeyError``.
  func get(_ url: KeyURL) throws(KeyError) -> Response {
    // Documented as safe to call again; it is thread-safe since 7.84.
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let handle = curl_easy_init() else { throw .transport("there is no memory for it") }
    defer { curl_easy_cleanup(handle) }
    let receiver = Receiver()
    return try withExtendedLifetime(receiver) { () throws(KeyError) in
      var code = prepare(handle, url)
      if code == CURLE_OK { code = attach(receiver, to: handle) }
      if code == CURLE_OK { code = curl_easy_perform(handle) }
      if receiver.isTooLong || code == CURLE_FILESIZE_EXCEEDED { throw .tooLong }
      guard code == CURLE_OK else { throw .transport(String(cString: curl_easy_strerror(code))) }
      var status = 0
      _ = ccurl_status(handle, &status)
      guard status == 200 else { throw .status(status) }
      return Response(body: receiver.body, freshness: receiver.freshness)
    }
  }

  private func prepare(_ handle: UnsafeMutableRawPointer, _ url: KeyURL) -> CURLcode {
    var settings = [
      ccurl_set_string(handle, CURLOPT_URL, url.text),
      ccurl_allow_only(handle, url.isTLS ? 1 : 0),
      ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
      ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1),
      ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, keysTimeoutSeconds * 1000),
      ccurl_set_long(handle, CURLOPT_MAXFILESIZE, KeySet.byteLimit),
      ccurl_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
      ccurl_set_string(handle, CURLOPT_USERAGENT, "ribserver"),
    ]
    if !caFile.isEmpty { settings.append(ccurl_set_string(handle, CURLOPT_CAINFO, caFile)) }
    // No proxy from the environment: for a proxy on another machine, a loopback address is that machine.
    if url.isLoopback { settings.append(ccurl_set_string(handle, CURLOPT_PROXY, "")) }
    return settings.first { $0 != CURLE_OK } ?? CURLE_OK
  }

  private func attach(_ receiver: Receiver, to handle: UnsafeMutableRawPointer) -> CURLcode {
    let target = Unmanaged.passUnretained(receiver).toOpaque()
    let settings = [
      ccurl_set_pointer(handle, CURLOPT_WRITEDATA, target),
      ccurl_set_pointer(handle, CURLOPT_HEADERDATA, target),
      ccurl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, target in
        guard let bytes, let target else { return 0 }
        let receiver = Unmanaged<Receiver>.fromOpaque(target).takeUnretainedValue()
        return receiver.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
      },
      ccurl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, target in
        guard let bytes, let target else { return 0 }
        let receiver = Unmanaged<Receiver>.fromOpaque(target).takeUnretainedValue()
        return receiver.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
      },
    ]
    return settings.first { $0 != CURLE_OK } ?? CURLE_OK
  }
}
