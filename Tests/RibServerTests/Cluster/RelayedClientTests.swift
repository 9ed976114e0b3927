import Testing
import WireHTTP

@testable import RibServer

@Suite struct RelayedClientTests {
  private static let target = ClusterNode(id: 1, program: "p", address: "10.0.0.1:9000", secret: "secret")

  private static func read(_ bytes: [UInt8], _ rest: String = "") throws -> (RequestHead, ReceiveBuffer) {
    var (reader, buffer) = (RequestReader(), ReceiveBuffer())
    buffer.append((bytes + Array(rest.utf8)).span)
    return (try #require(try reader.nextHead(from: &buffer)), buffer)
  }

  @Test(arguments: [nil, "203.0.113.9", "2001:db8::1", "127.0.0.1"], [false, true])
  func client_isReadAsItIsWritten(address: String?, isForwarded: Bool) throws {
    var caller = Caller(address: address.flatMap { IPAddress(text: $0) })
    caller.isForwarded = isForwarded
    let compression = PerMessageDeflate(
      text: "permessage-deflate; client_no_context_takeover; server_max_window_bits=10; client_max_window_bits=15")
    try #require(compression != nil)
    for (compression, hasContext) in [(nil, false), (compression, true)] {
      let client = RelayedClient(of: 7, caller, compression: compression, hasContext: hasContext)
      var bytes: [UInt8] = []
      client.write(into: &bytes, to: Self.target)
      let (head, rest) = try Self.read(bytes, "GET /")
      #expect(rest.count == 5, "what follows is the client's")
      #expect(head.headers["Authorization"] == "Bearer secret" && head.headers["Rib-Node"] == "7")
      let read = try #require(RelayedClient(head, from: 7))
      #expect(read.caller.address == caller.address && read.caller.isLocal == caller.isLocal)
      #expect(!read.caller.mayBeProxy, "it is no proxy, wherever it is")
      #expect(read.compression == compression)
      #expect(read.takeContext() == hasContext)
      #expect(!read.takeContext(), "asked once")
    }
  }

  @Test(arguments: ["Rib-Client: nobody", "Rib-Compression: gzip", "Rib-Compression: permessage-deflate"])
  func nonsense_isNoClient(field: String) throws {
    let (head, _) = try Self.read(Array("GET /relay HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n".utf8))
    #expect(RelayedClient(head, from: 2) == nil)
  }
}
