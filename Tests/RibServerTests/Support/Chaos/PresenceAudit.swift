/// What observers are shown of who is there, held against who was.
///
/// A list may lack somebody who is connected: where nodes do not hear each other for long, or one of them stands still, that is how it is to be.
/// So it is only counted how often that happens, but for a time in which nothing is wrong with the network and no more than one node dies.
struct PresenceAudit {
  /// Somebody who has left for good.
  private struct Departure {
    let time: Int
    let isWithNode: Bool
    /// The observers that still show who has left.
    var observers: Set<Int>
  }

  /// What an observer has shown last, and whether it still has the connection that it showed it on.
  private struct Shown {
    let list: Set<String>
    var isConnected = true
  }

  /// Somebody who was seen to leave, and has not left for good.
  struct WrongDeparture: Equatable {
    let name: String
    let observer: Int
    let time: Int
  }

  /// How long a list may be behind: who comes back after a while may still be seen to leave, in milliseconds.
  private static let delay = 2000

  /// Since when each is connected who is.
  private var connected: [String: Int] = [:]
  private var departures: [String: Departure] = [:]
  private var shown: [Int: Shown] = [:]
  /// Whether nobody may be seen to leave who has not left for good.
  private var isStrict = false
  /// How often somebody was seen to leave who was connected.
  private(set) var flickers = 0
  /// How long those were still shown who left as their node died, and those who left otherwise: for each observer, in milliseconds.
  private(set) var timesAfterDeath: [Int] = []
  private(set) var timesAfterLeaving: [Int] = []
  private(set) var wrongDepartures: [WrongDeparture] = []

  /// Takes note that somebody is connected.
  ///
  /// - Parameters:
  ///   - name: who.
  ///   - now: in milliseconds.
  mutating func connects(_ name: String, at now: Int) {
    if connected[name] == nil { connected[name] = now }
    departures[name] = nil
  }

  /// Takes note that somebody is not connected any more, and may come back.
  mutating func disconnects(_ name: String) { connected[name] = nil }

  /// Takes note that somebody has left for good.
  ///
  /// - Parameters:
  ///   - name: who.
  ///   - now: when, in milliseconds.
  ///   - node: the node that died at the same time; its observer does not count.
  mutating func leaves(_ name: String, at now: Int, with node: Int? = nil) {
    connected[name] = nil
    let observers = shown.filter { $0.key != node && $0.value.list.contains(name) }.map(\.key)
    departures[name] = Departure(time: now, isWithNode: node != nil, observers: Set(observers))
  }

  /// From now on nobody may be seen to leave who has not left for good.
  mutating func beStrict() { isStrict = true }

  /// Forgets how long those were shown who have left.
  mutating func forgetTimes() { (timesAfterDeath, timesAfterLeaving) = ([], []) }

  /// Compares what an observer shows with what it has shown before.
  ///
  /// - Parameters:
  ///   - list: who is there; nil if the observer has no connection.
  ///   - observer: the node that it is at, as the list of another node may be behind.
  ///   - now: in milliseconds.
  mutating func shows(_ list: Set<String>?, _ observer: Int, at now: Int) {
    guard let list else {
      shown[observer]?.isConnected = false
      return
    }
    let last = shown.updateValue(Shown(list: list), forKey: observer)
    for (name, departure) in departures where departure.observers.contains(observer) && !list.contains(name) {
      departures[name]?.observers.remove(observer)
      let time = now - departure.time
      if departure.isWithNode { timesAfterDeath.append(time) } else { timesAfterLeaving.append(time) }
    }
    // What it shows after a while without a connection is no change that it was told of.
    guard let last, last.isConnected else { return }
    for name in last.list.subtracting(list).sorted() where departures[name] == nil {
      if let start = connected[name], now - start > Self.delay { flickers += 1 }
      if isStrict { wrongDepartures.append(WrongDeparture(name: name, observer: observer, time: now)) }
    }
  }
}
