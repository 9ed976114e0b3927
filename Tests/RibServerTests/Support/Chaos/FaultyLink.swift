import Foundation

/// A client's connection, and the one that the proxy has made to the server for it.
final class FaultyLink {
  /// One way of the two.
  struct Way {
    /// Where bytes go, and how that is known to the descriptor set.
    let target: Int32
    let targetID: Int
    var chunks: [(due: Int, bytes: ArraySlice<UInt8>)] = []
    /// No more comes: the target is told once it has got everything.
    var hasEnded = false
    var isShut = false
    /// The link is cut once the target has got everything.
    var isLast = false
    var isStalled = false
    /// The target has no room.
    var isFull = false
  }

  let id: Int
  let client: Int32
  let server: Int32
  let faults: LinkFaults
  var random: SeededGenerator
  var byteCount = 0
  /// When the stall is over; nil if there is none.
  var stallEnd: Int?
  var hasStalled = false
  /// The first bytes that the client has sent, as text.
  var head = ""
  /// Whether the link is silent by an outage of the network.
  var isOut = false
  /// Up to the server, and down to the client.
  var ways: [Way]

  init(_ id: Int, _ client: Int32, _ server: Int32, _ faults: LinkFaults, _ random: SeededGenerator) {
    self.id = id
    self.client = client
    self.server = server
    self.faults = faults
    self.random = random
    ways = [Way(target: server, targetID: 2 * id + 1), Way(target: client, targetID: 2 * id)]
  }

  func source(_ way: Int) -> Int32 { way == 0 ? client : server }
}
