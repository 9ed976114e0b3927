extension String {
  /// The text of a URL without its user and password: `https://…@host/path`.
  ///
  /// The text of a person may be no URL: so all before the last `@` is left out, but for a scheme.
  package var withoutUser: String {
    guard let sign = lastIndex(of: "@") else { return self }
    let scheme = firstRange(of: "://").map { self[..<$0.upperBound] } ?? ""
    return "\(scheme.endIndex <= sign ? scheme : "")…\(self[sign...])"
  }
}
