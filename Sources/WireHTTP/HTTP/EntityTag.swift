/// Names of representations, as `If-None-Match` lists them (RFC 9110 §8.8.3 and §13.1.2).
package enum EntityTag {
  /// Whether an element of `If-None-Match` means a representation: by its tag, strong or weak (§8.8.3.2), or as any.
  ///
  /// - Parameters:
  ///   - element: as the list has it.
  ///   - tag: the representation's, with its quotation marks.
  /// - Returns: whether the client has it.
  package static func matches(_ element: Substring, _ tag: String) -> Bool {
    let bytes = element.utf8
    let opaque = bytes.starts(with: "W/".utf8) ? bytes.dropFirst(2) : bytes
    return bytes.elementsEqual("*".utf8) || opaque.elementsEqual(tag.utf8)
  }
}
