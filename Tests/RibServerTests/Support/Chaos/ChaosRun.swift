/// A run of the chaos, as far as its clients and their network go.
protocol ChaosRun: AnyObject {
  /// The clients, each thread's.
  var fleets: [ChaosFleet] { get }
  /// The clients of the HTTP twin.
  var twins: [ChaosTwin] { get }
  /// The network between clients and servers; nil if clients come to the servers themselves.
  var network: FaultyProxy? { get }
}

extension ChaosRun {
  var clients: [ChaosClient] { fleets.flatMap(\.clients) }

  /// Ends what runs on threads of its own, whether it has come to rest or not.
  func endThreads() {
    for fleet in fleets { _ = fleet.waitForAll(within: 0) }
    for twin in twins { twin.waitForEnd(within: 0) }
    network?.stop()
  }

  /// Has the network do what it should and the clients send nothing new, waits until they have heard all, and ends their threads.
  ///
  /// - Returns: whether those with a WebSocket have come to rest within three minutes.
  func settle() -> Bool {
    network?.calmDown()
    for fleet in fleets { fleet.finish() }
    for twin in twins { twin.finish() }
    let limit = milliseconds() + 180_000
    let haveSettled = fleets.map { $0.waitForAll(within: max((limit - milliseconds()) / 1000, 1)) }
    for twin in twins { twin.waitForEnd(within: max((limit - milliseconds()) / 1000, 1)) }
    network?.stop()
    return haveSettled.allSatisfy(\.self)
  }
}
