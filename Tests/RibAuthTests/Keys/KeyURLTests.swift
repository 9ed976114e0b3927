import Testing

@testable import RibAuth

@Suite struct KeyURLTests {
  @Test(arguments: [
    "https://id.example.com/keys", "https://id.example.com", "https://id.example.com:8443/a?b=c",
    "HTTPS://id.example.com/keys",
    "https://127.0.0.1/keys", "https://[::1]:8443/keys",
  ])
  func url_withTLS_isTaken(text: String) throws {
    let url = try #require(KeyURL(text))
    #expect(url.isTLS && url.text == text)
  }

  @Test(arguments: [
    "http://localhost/keys", "http://127.0.0.1:80/keys", "http://127.9.9.9/keys", "http://[::1]:8080/keys",
  ])
  func url_withoutTLS_isTakenOnThisMachine(text: String) throws {
    let url = try #require(KeyURL(text))
    #expect(!url.isTLS && url.isLoopback)
  }

  @Test(arguments: [
    "http://id.example.com/keys", "http://localhost.evil.com/", "http://127.0.0.1.nip.io/", "http://10.0.0.1/",
    "http://[::2]/",
    "http://127.0.0.1@evil.example/", "https://user:password@id.example.com/", "file:///etc/keys", "ftp://127.0.0.1/",
    "gopher://127.0.0.1/", "id.example.com/keys", "//id.example.com/keys", "https:/id.example.com", "https://",
    "https:///keys", "",
    "discover", "https://id.example.com/#a", "https://id.example.com/ x", "https://id.example.com/\n",
    "https://é.example/",
    "https://a\\b/", "https://id.example.com?x", "http://0.0.0.0/", "http://localhost:99999/",
  ])
  func otherText_isNoURLOfKeys(text: String) {
    #expect(KeyURL(text) == nil)
  }
}
