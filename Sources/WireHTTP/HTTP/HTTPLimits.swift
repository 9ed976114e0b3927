/// How much a message may cost before its peer is refused.
///
/// Every limit holds while the bytes arrive: a peer that never ends its line is refused at the limit, not buffered.
package struct HTTPLimits: Equatable, Sendable {
  /// The longest request line (or status line) in bytes, its line end included; beyond it a request is answered 414.
  ///
  /// 8 KiB: RFC 9112 §3 asks for at least 8,000 bytes, and nginx and Apache have the same, so no proxy in front lets
  /// through what is refused here.
  package var requestLineBytes: Int

  /// The longest header section in bytes, all line ends and the closing empty line included; beyond it, 431.
  ///
  /// 32 KiB: nginx's four buffers of 8 KiB. Cookies and one large token fit several times. As much is taken of a chunked
  /// body's extensions, all together; beyond it, 400.
  package var headerBytes: Int

  /// The most header field lines; beyond it, 431.
  ///
  /// 100: Apache's default. A browser behind two proxies sends about 30. Each line costs two strings and a slot, so
  /// the bytes alone are no bound for the memory.
  package var headerCount: Int

  /// The longest body in bytes that is passed over because nobody wants it, however it is transferred; beyond it, 413.
  ///
  /// 1 MiB: nginx's default. A length beyond it is refused before any of the body is read.
  package var bodyBytes: Int

  /// The longest body that is wanted, and so is kept in memory; beyond it, 413 as well.
  package var keptBodyBytes: Int

  /// Limits that differ from the defaults where named.
  ///
  /// - Parameters:
  ///   - requestLineBytes: the longest start line, in bytes.
  ///   - headerBytes: the longest header section, in bytes.
  ///   - headerCount: the most field lines.
  ///   - bodyBytes: the longest body, in bytes.
  ///   - keptBodyBytes: the longest that is kept; nil for as much.
  package init(
    requestLineBytes: Int = 8 * 1024, headerBytes: Int = 32 * 1024, headerCount: Int = 100,
    bodyBytes: Int = 1024 * 1024, keptBodyBytes: Int? = nil
  ) {
    self.requestLineBytes = requestLineBytes
    self.headerBytes = headerBytes
    self.headerCount = headerCount
    self.keptBodyBytes = keptBodyBytes ?? bodyBytes
    self.bodyBytes = max(bodyBytes, self.keptBodyBytes)
  }
}
