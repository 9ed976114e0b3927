import Synchronization

/// The memory for the bodies of requests that are longer than a message, until they are answered.
///
/// Whoever sends half a body keeps what it has sent in memory for `timeouts.bodySeconds`, on each connection that there may be. So all such bodies
/// share the room of 64 of the longest, and those from one place that of 8. Shorter ones need none: a connection may have as much of a message.
final class BodyRoom: Sendable {
  private struct State {
    var taken = 0
    var takenByPlaces: [Place: Int] = [:]
  }

  private let state = Mutex(State())

  /// Bytes that are taken.
  var taken: Int { state.withLock(\.taken) }

  fileprivate func take(_ bytes: Int, for place: Place?, _ longest: Int) -> Bool {
    state.withLock { state in
      let ofPlace = place.flatMap { state.takenByPlaces[$0] } ?? 0
      guard state.taken + bytes <= 64 * longest, ofPlace + bytes <= 8 * longest else { return false }
      state.taken += bytes
      if let place { state.takenByPlaces[place] = ofPlace + bytes }
      return true
    }
  }

  fileprivate func giveBack(_ bytes: Int, of place: Place?) {
    state.withLock { state in
      state.taken -= bytes
      guard let place, let ofPlace = state.takenByPlaces[place] else { return }
      state.takenByPlaces[place] = ofPlace > bytes ? ofPlace - bytes : nil
    }
  }

  /// What one body has of the room, as long as this exists.
  final class Share {
    private let room: BodyRoom
    private let place: Place?
    private var bytes = 0

    /// Nothing yet.
    ///
    /// - Parameters:
    ///   - room: whose.
    ///   - place: where the body comes from; nil if there is no such place.
    init(of room: BodyRoom, for place: Place?) { (self.room, self.place) = (room, place) }

    deinit { room.giveBack(bytes, of: place) }

    /// Takes more of the room.
    ///
    /// - Parameters:
    ///   - size: how many bytes the body needs in all.
    ///   - longest: the bytes that a body may have.
    /// - Returns: false if there are not so many.
    func grow(to size: Int, ofAtMost longest: Int) -> Bool {
      guard size > bytes else { return true }
      guard room.take(size - bytes, for: place, longest) else { return false }
      bytes = size
      return true
    }
  }
}
