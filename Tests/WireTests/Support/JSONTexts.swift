@testable import Wire

extension JSONElement {
  /// The value of a text.
  init(parsing text: String) throws {
    var reader = JSONReader()
    self = try reader.read(text).root
  }
}

extension JSONWriter {
  /// What `write` writes into a writer of its own.
  static func text<Failure: Error>(_ write: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) -> String {
    var writer = JSONWriter()
    try write(&writer)
    return writer.text
  }

  /// What was written.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONValue {
  /// The value that a text becomes when it is read and written once: two texts of one value have one such form.
  static func canonical(_ text: String) throws -> String { try JSONValue(parsing: text).text }
}

extension PatchWriter {
  /// The operations as a JSON array.
  var text: String { "[\(json.text)]" }
}

extension [PatchOperation] {
  /// The operations of a JSON array.
  init(parsing text: String) throws {
    self = []
    for operation in try JSONElement(parsing: text).elements { append(try PatchOperation(operation)) }
  }
}

/// Whether two strings are the same to the byte: `==` calls more than that equal.
func haveSameUTF8(_ ours: String, _ theirs: String) -> Bool { ours.utf8.elementsEqual(theirs.utf8) }
