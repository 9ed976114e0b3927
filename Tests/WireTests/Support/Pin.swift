import Wire

/// A secret of the tests.
struct Pin: SecretValue, Equatable {
  let digits: String

  init(_ digits: String) { self.digits = digits }

  init(from decoder: any Decoder) throws {
    decoder.noteSecret()
    digits = try decoder.singleValueContainer().decode(String.self)
  }
}
