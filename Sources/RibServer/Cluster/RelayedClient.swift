import Synchronization
import WireHTTP

/// A client whose bytes another node passes on, as that node presents it: what it says before the first of them.
///
/// It is a request of its own, at ``path``, which is answered by what the client is answered, or by the end of the connection.
final class RelayedClient: Sendable {
  /// Where a node asks that passes a client on.
  static let path = "/relay"
  private static let (addressField, forwardedField) = ("Rib-Client", "Rib-Forwarded")
  private static let (compressionField, contextField) = ("Rib-Compression", "Rib-Context")

  /// The node that passes its bytes on.
  let node: Int
  /// The client, as that node sees it.
  let caller: Caller
  /// What the client has agreed on with that node about compression; nil for nothing.
  let compression: PerMessageDeflate?
  /// Whether its first message came compressed, so that later ones may refer to it; it is passed on as it was before.
  private let hasContext: Atomic<Bool>

  /// A client that this node passes on.
  ///
  /// - Parameters:
  ///   - node: this node.
  ///   - caller: the client.
  ///   - compression: what was agreed on with it; nil for nothing.
  ///   - hasContext: whether its first message came compressed.
  init(of node: Int, _ caller: Caller, compression: PerMessageDeflate? = nil, hasContext: Bool = false) {
    (self.node, self.caller, self.compression) = (node, caller, compression)
    self.hasContext = Atomic(hasContext)
  }

  /// Reads what another node says of a client.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - node: the node; it has shown the secret.
  init?(_ head: RequestHead, from node: Int) {
    guard head.method == "GET", head.path == Self.path else { return nil }
    var caller = Caller(address: nil)
    if let text = head.headers[Self.addressField] {
      guard let address = IPAddress(text: text) else { return nil }
      caller.address = address
    }
    caller.isForwarded = head.headers[Self.forwardedField] != nil
    // What its requests say of whom it speaks for was judged by that node.
    caller.mayBeProxy = false
    if let text = head.headers[Self.compressionField] {
      guard let agreement = PerMessageDeflate(text: text) else { return nil }
      compression = agreement
    } else {
      compression = nil
    }
    (self.node, self.caller) = (node, caller)
    hasContext = Atomic(head.headers[Self.contextField] != nil)
  }

  /// Adds what presents it to another node.
  ///
  /// - Parameters:
  ///   - output: receives the bytes at its end.
  ///   - target: the other node.
  func write(into output: inout [UInt8], to target: ClusterNode) {
    var fields = NodeCredential(node: node, secret: target.secret).fields
    if let address = caller.address { fields.append(name: Self.addressField, value: address.description) }
    if caller.isForwarded { fields.append(name: Self.forwardedField, value: "1") }
    if let compression { fields.append(name: Self.compressionField, value: compression.text) }
    if hasContext.load(ordering: .relaxed) { fields.append(name: Self.contextField, value: "1") }
    RequestHead(getting: Self.path, from: target.address, fields).write(into: &output, body: [], isUpgrade: false)
  }

  /// Whether the next message is one that later ones may refer to though it comes uncompressed; asked once.
  func takeContext() -> Bool { hasContext.exchange(false, ordering: .relaxed) }
}

/// What a node shows to another one: who it is, and the other's secret, which only those know who can read the store.
struct NodeCredential {
  private static let nodeField = "Rib-Node"
  private static let prefix = "Bearer "

  /// Who shows it.
  let node: Int
  private let secret: String

  /// What is shown.
  ///
  /// - Parameters:
  ///   - node: this node's number.
  ///   - secret: the other one's.
  init(node: Int, secret: String) { (self.node, self.secret) = (node, secret) }

  /// The credential of a request.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - owner: this node, whose secret was to be shown; nil if another one was, or this node's own number.
  init?(_ head: RequestHead, toldTo owner: any Link.Owner) {
    let credential = head.headers["Authorization"] ?? ""
    guard credential.hasPrefix(Self.prefix),
      SessionToken.matches(String(credential.dropFirst(Self.prefix.count)), SessionToken.hash(owner.ownSecret)),
      let node = head.headers[Self.nodeField].flatMap({ Int($0) }), node > 0, node != owner.own
    else { return nil }
    self.init(node: node, secret: owner.ownSecret)
  }

  /// The fields that show it.
  var fields: HeaderFields { ["Authorization": Self.prefix + secret, Self.nodeField: "\(node)"] }
}
