import RibCore
import Wire

@testable import RibClient
@testable import RibServer

/// What clients do.
extension ModelWorld {
  var live: [ModelClient] { clients.filter { $0.session.welcome != nil && $0.link != nil && !$0.hasSaidBye } }

  func act() throws {
    guard let client = live.randomElement(using: &random), client.session.outbox.count < 6,
      client.session.sentNumber == client.session.lastNumber
    else { return }
    let (action, to) = actions[random.below(actions.count)]
    note("client \(client.number): act \(client.session.lastNumber + 1) \(action) to \"\(to)\"")
    try client.act(action, to: .path(to))
  }

  func connect() throws {
    guard let client = clients.filter({ $0.link == nil && !$0.hasEnded }).randomElement(using: &random) else { return }
    try connect(client)
  }

  func connect(_ client: ModelClient, joining token: String? = nil) throws {
    linkCount += 1
    let link = ModelLink(number: linkCount)
    let place = random.oneIn(4) ? random.below(servers.count) : 0
    link.connection = ModelConnection(link, servers[place])
    links.append(link)
    note("client \(client.number): connects to server \(place) by link \(link.number)")
    try client.connect(link, joining: token)
  }

  func acknowledge() throws {
    guard let client = live.randomElement(using: &random) else { return }
    note("client \(client.number): ack n \(client.session.coveredNumber), rev \(client.session.revision)")
    client.link?.up.append(try client.session.ack())
  }

  func check() throws {
    guard let client = live.randomElement(using: &random) else { return }
    if client.number > 1, random.oneIn(8) {
      note("client \(client.number): bye")
      client.link?.up.append(try client.session.bye())
      client.hasSaidBye = true
    } else {
      note("client \(client.number): check")
      client.link?.up.append(try client.session.check())
    }
  }

  func share() throws {
    // Two clients of one session belong on one server: who lost the session hears of it with the next commit only.
    guard !isCluster, clients.count < 3, let client = live.randomElement(using: &random), client.number == 1 else {
      return
    }
    note("client \(client.number): share")
    client.link?.up.append(try client.session.share(random.oneIn(4) ? .view : .act))
  }

  func join() throws {
    // A token may have been lost with the store.
    guard clients.count < 3, !hasStoreFailed, let host = clients.first(where: { !$0.tokens.isEmpty })
    else { return }
    let token = host.tokens.removeFirst()
    let client = ModelClient(number: clients.count + 1, isQuiet: rules.contains(.quiet))
    clients.append(client)
    note("client \(client.number): joins")
    try connect(client, joining: token)
  }
}
