import Synchronization

/// Counts the connections of a server, and says which are too many.
final class ConnectionCounter: Sendable {
  /// What becomes of a connection.
  enum Admission: Equatable {
    case admitted
    /// It is too many, and is told so.
    case turnedAway
    /// Even those that are told so are too many.
    case dropped
  }

  private struct Counts {
    var admitted = 0
    var turnedAway = 0
    var byAddress: [PeerAddress: Int] = [:]
  }

  /// How many are told at a time that they are too many: each has a moment to listen.
  static let turnedAwayLimit = 256

  private let limit: Int
  private let limitPerAddress: Int
  private let counts = Mutex(Counts())

  /// A counter.
  ///
  /// - Parameters:
  ///   - limit: connections in all; 0 for any number.
  ///   - limitPerAddress: connections from one address; 0 for any number.
  init(limit: Int, limitPerAddress: Int) {
    self.limit = limit
    self.limitPerAddress = limitPerAddress
  }

  /// Whether it has to be known where a connection comes from.
  var countsAddresses: Bool { limitPerAddress > 0 }
  /// How many there are, without those that are told that they are too many.
  var count: Int { counts.withLock { $0.admitted } }

  /// Counts a connection in.
  ///
  /// - Parameter address: where it comes from, if that is counted.
  /// - Returns: what becomes of it; it is counted until ``leave(_:from:)`` unless it is dropped.
  func enter(from address: PeerAddress?) -> Admission {
    counts.withLock { counts in
      let isRoom = limit == 0 || counts.admitted < limit
      let isRoomThere = address.map { limitPerAddress == 0 || counts.byAddress[$0, default: 0] < limitPerAddress }
      if isRoom, isRoomThere ?? true {
        counts.admitted += 1
        if let address { counts.byAddress[address, default: 0] += 1 }
        return .admitted
      }
      guard counts.turnedAway < Self.turnedAwayLimit else { return .dropped }
      counts.turnedAway += 1
      return .turnedAway
    }
  }

  /// Counts a connection out.
  ///
  /// - Parameters:
  ///   - admission: what became of it.
  ///   - address: where it came from, as it was counted in.
  func leave(_ admission: Admission, from address: PeerAddress?) {
    counts.withLock { counts in
      switch admission {
      case .dropped: break
      case .turnedAway: counts.turnedAway -= 1
      case .admitted:
        counts.admitted -= 1
        guard let address, let count = counts.byAddress[address] else { return }
        counts.byAddress[address] = count == 1 ? nil : count - 1
      }
    }
  }
}
