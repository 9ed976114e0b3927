import RibCore
import Wire

@testable import RibClient
@testable import RibServer

/// What servers and their store do.
extension ModelWorld {
  func write() throws {
    let server = servers[random.below(servers.count)]
    note("the store writes")
    try server.write()
  }

  func sync() throws {
    let server = servers[random.below(servers.count)]
    note("the store syncs")
    try server.sync()
  }

  func breakStore() throws {
    // A server that goes on in memory cannot know that another one has the session.
    guard !isCluster || store.outage == .waits else { return }
    if store.isDown {
      note("the store works again")
      store.isDown = false
    } else if random.oneIn(4), clients[0].session.lastWelcome != nil {
      note("the store fails")
      store.isDown = true
      store.losesAnswers = store.outage == .waits && random.oneIn(2)
      hasStoreFailed = hasStoreFailed || store.outage == .goesOn
    }
    for server in servers { try server.probe() }
  }

  func rest() throws {
    for server in servers {
      for host in server.hosts {
        note("rest")
        host.core.rest()
      }
      try server.endEvents()
    }
  }

  /// Nothing new happens for a while: what is under way arrives, and the session may rest.
  func settle() throws {
    guard !store.isDown else { return }
    note("a while")
    for _ in 0..<6 { try goRound() }
    if random.oneIn(2) {
      try rest()
      try goRound()
    }
  }

  /// Everything that is under way goes on.
  func goRound() throws {
    for server in servers {
      try server.probe()
      _ = try server.runEffects()
    }
    for link in links {
      if link.isStalled { try goOn(link) }
      while !link.up.isEmpty { try deliverUp(link) }
    }
    for server in servers {
      try server.write()
      try server.sync()
    }
    for client in clients {
      while client.link.map({ !$0.down.isEmpty || $0.isServerGone }) ?? false { try deliverDown(client) }
    }
  }

  /// Somebody publishes: a session, or what is outside.
  func publish() throws {
    tell()
    for server in servers { try server.endEvents() }
  }

  /// Publishes, perhaps from another thread, while a server is in the midst of a step.
  func tell() {
    guard newsKind != .none else { return }
    published += 1
    note("published: \(published)")
    for server in servers { server.news.publish(published) }
  }

  func runEffects() throws {
    for server in servers where try server.runEffects(atMost: 1) { note("effects go on") }
  }

  func endEffect() throws {
    for server in servers {
      for host in server.hosts { host.endEffect() }
      try server.endEvents()
    }
  }

  /// A server's process ends, or the power is cut, and with it all servers and what of the store is not synced.
  func crash(keepsPower: Bool) throws {
    // Nobody has been told of a session that is not there yet.
    guard clients[0].session.lastWelcome != nil else { return }
    if keepsPower {
      end(random.below(servers.count))
    } else {
      note("the power is cut")
      for place in servers.indices { end(place) }
      store.losePower()
    }
    try compareAnswers()
  }

  func end(_ place: Int) {
    note("server \(place) dies")
    for link in links where link.connection?.server === servers[place] {
      link.up = []
      link.isServerGone = true
      link.connection = nil
      link.down = Array(link.down.prefix(random.below(link.down.count + 1)))
    }
    servers[place].die()
    store.life += 1
    servers[place] = makeServer()
  }
}
