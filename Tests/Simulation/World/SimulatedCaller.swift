import RibClient
import Wire

/// Who speaks on the connections of a ``SimulatedCaller``.
protocol CallerOwner: AnyObject {
  /// There is a connection: it says its first words.
  func connected()
  /// Something has come, and is in the caller's buffer.
  ///
  /// - Throws: a ``Finding``, or what the bytes are not.
  func received() throws
  /// The other end has cut the connection.
  func wasCut()
  /// It is time for the next attempt.
  func callAgain()
}

/// Connects a client to any of the servers: a connection at a time, and after each a while until the next one.
final class SimulatedCaller: LinkOwner {
  /// Among those of all clients.
  private let number: Int
  private let name: String
  private unowned let world: World
  /// Set when it is made, by whom it is made.
  weak var owner: (any CallerOwner)?
  private(set) var link: SimulatedLink?
  var random: SimulationRandom
  private var backOff = BackOff()
  /// Counts connections and attempts, so that a timer knows that it is an old one's.
  private var attempt = 0

  // The connection's.
  var buffer = ReceiveBuffer()
  var responses = ResponseReader()

  /// One that has not connected.
  ///
  /// - Parameters:
  ///   - number: among those of all clients; what it draws at random follows from it.
  ///   - kind: what it is, for the steps that are printed.
  ///   - world: where it is.
  init(_ number: Int, _ kind: String, in world: World) {
    self.number = number
    name = "\(kind) \(number)"
    self.world = world
    random = SimulationRandom(seed: world.seed, stream: 100 + UInt64(number))
  }

  /// Connects, now or as soon as there is a server.
  func connect() {
    attempt += 1
    guard let process = world.anyProcess(&random) else { return _ = comeBack(.atOnce) }
    do {
      link = try world.makeLink(to: process, for: self, name)
    } catch {
      return world.fail(Finding(.leak, "\(error)"))
    }
    buffer = ReceiveBuffer()
    responses = ResponseReader()
    owner?.connected()
  }

  /// Gives its connection up, and what was to be done on it.
  func hangUp() {
    attempt += 1
    let link = link
    self.link = nil
    link?.giveUp()
  }

  /// What it waits for has come: what was to be done without it is not.
  func hasAnswer() { attempt += 1 }

  /// The server has let it in: the next wait is a short one.
  func wasLetIn() { backOff.succeeded() }

  /// Calls again after a while.
  ///
  /// - Parameter ending: how the last connection has ended.
  /// - Returns: false if it is not to come back.
  func comeBack(_ ending: Bye.Return) -> Bool {
    guard let delay = backOff.delay(after: ending, using: &random) else { return false }
    callAgain(after: delay)
    return true
  }

  /// Calls again after so many milliseconds.
  func callAgain(after milliseconds: Int) {
    attempt += 1
    after(milliseconds) { [weak self] in self?.owner?.callAgain() }
  }

  /// Does something after so many milliseconds, unless the connection, or the attempt at one, is another one then.
  func after(_ milliseconds: Int, _ body: @escaping () -> Void) {
    let number = attempt
    world.scheduler.at(world.scheduler.now + UInt64(milliseconds) * 1_000_000) { [weak self] in
      if let self, attempt == number { body() }
    }
  }

  /// Does something when it is to connect elsewhere.
  ///
  /// - Parameters:
  ///   - milliseconds: within which.
  ///   - body: what.
  func afterDrain(within milliseconds: Int, _ body: @escaping () -> Void) {
    after(backOff.delay(drainedWithin: milliseconds, using: &random), body)
  }

  func receive(_ bytes: [UInt8], from link: SimulatedLink) {
    guard self.link === link else { return }
    world.trace(number, bytes)
    buffer.append(bytes.span)
    do {
      try owner?.received()
    } catch let finding as Finding {
      world.fail(finding)
    } catch {
      world.fail(Finding(.brokenProtocol, "\(name): \(error)"))
    }
  }

  func linkEnded(_ link: SimulatedLink) {
    guard self.link === link else { return }
    self.link = nil
    attempt += 1
    owner?.wasCut()
  }
}
