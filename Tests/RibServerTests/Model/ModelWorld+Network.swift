import RibCore
import Wire

@testable import RibClient
@testable import RibServer

/// What becomes of connections.
extension ModelWorld {
  func deliverUp() throws {
    guard let link = links.filter({ !$0.up.isEmpty }).randomElement(using: &random) else { return }
    try deliverUp(link)
  }

  func deliverUp(_ link: ModelLink) throws {
    let text = link.up.removeFirst()
    guard let connection = link.connection, !link.isServerGone else { return }
    note("link \(link.number) up: \(text.text)")
    try connection.receive(text)
    try connection.server.endEvents()
  }

  func deliverDown() throws {
    guard
      let client = clients.filter({ $0.link.map { !$0.down.isEmpty || $0.isServerGone } ?? false })
        .randomElement(using: &random)
    else { return }
    try deliverDown(client)
  }

  func deliverDown(_ client: ModelClient) throws {
    guard let link = client.link else { return }
    guard !link.down.isEmpty else {
      note("client \(client.number): link \(link.number) was cut")
      return client.disconnect()
    }
    let text = link.down.removeFirst()
    note("link \(link.number) down: \(text.text)")
    try client.receive(text)
  }

  /// A client gives up a connection: what is on its way may still arrive, or not.
  func loseLink() throws {
    guard let client = clients.filter({ $0.link != nil }).randomElement(using: &random), let link = client.link,
      client.session.lastWelcome != nil
    else { return }
    note("client \(client.number): gives up link \(link.number)")
    client.disconnect()
    link.up = Array(link.up.prefix(random.below(link.up.count + 1)))
    if random.oneIn(2) { try connect(client) }
  }

  /// The server hears of a connection that it is gone.
  func serverHears() throws {
    guard
      let link = links.filter({ !$0.isServerGone && ($0.isClientGone && $0.up.isEmpty || random.oneIn(6)) })
        .randomElement(using: &random)
    else { return }
    // The first hello's answer is waited for: who has no welcome has nothing to come back to.
    guard link.isClientGone || clients.contains(where: { $0.link === link && $0.session.lastWelcome != nil }) else {
      return
    }
    try hear(link)
  }

  func hear(_ link: ModelLink) throws {
    note("link \(link.number): the server hears of its end")
    link.up = []
    link.down = Array(link.down.prefix(random.below(link.down.count + 1)))
    link.connection?.abort()
    link.isServerGone = true
    try link.connection?.server.endEvents()
  }

  func stall() throws {
    guard let link = links.filter({ !$0.isServerGone }).randomElement(using: &random) else { return }
    link.isStalled.toggle()
    note("link \(link.number) \(link.isStalled ? "stalls" : "goes on")")
    if !link.isStalled { try goOn(link) }
  }

  func goOn(_ link: ModelLink) throws {
    link.isStalled = false
    link.connection?.flush()
    try link.connection?.goOn()
    try link.connection?.server.endEvents()
  }
}

extension [UInt8] {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
