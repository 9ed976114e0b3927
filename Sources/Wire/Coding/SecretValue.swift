/// A value that a client sends and that is never shown, stored or recorded.
package protocol SecretValue: Decodable {}

extension Decoder {
  /// Notes that a ``SecretValue`` decodes from this decoder's value, so that a recording has null for it.
  package func noteSecret() {
    guard let element = (self as? ElementDecoder)?.element else { return }
    element.document.trace?.noteSecret(element)
  }
}
