import Testing

@testable import RibServer

struct StringWithoutUserTests {
  @Test(arguments: [
    ("https://id.example.com/keys", "https://id.example.com/keys"), ("discover", "discover"), ("", ""),
    ("https://ada:secret@id.example.com/keys?a=1", "https://…@id.example.com/keys?a=1"),
    ("https://secret@id.example.com", "https://…@id.example.com"),
    ("https://ada:se/cr@et@id.example.com", "https://…@id.example.com"),
    ("ada:secret@id.example.com", "…@id.example.com"), ("ada:se@x://y", "…@x://y"),
  ])
  func userAndPassword_areLeftOut(_ text: String, _ shown: String) { #expect(text.withoutUser == shown) }
}
