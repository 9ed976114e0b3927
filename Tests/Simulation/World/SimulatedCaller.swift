import RibClient
import Wire
import WireHTTP

/// Who speaks on the connections of a ``SimulatedCaller``.
protocol CallerOwner: AnyObject {
  /// There is a connection: it says its first words.
  func connected()
  /// Something has come, and is in the caller's buffer.
  ///
  /// - Throws: a ``Finding``, or what the bytes are not.
  func received() throws
  /// The other end has cut the connection.
  ///
  /// - Parameter link: it was this one.
  func wasCut(_ link: SimulatedLink)
  /// It is time for the next attempt.
  func callAgain()
}

/// Connects a client to any of the servers: a connection at a time, and after each a while until the next one.
final class SimulatedCaller: LinkOwner {
  /// Among those of all clients.
  private let number: Int
  private let name: String
  private unowned let world: World
  /// Whoever makes the caller sets it at once.
  weak var owner: (any CallerOwner)?
  private(set) var link: SimulatedLink?
  var random: SimulationRandom
  private var backOff = BackOff()
  /// Counts what makes timers void: connections, their ends, and answers.
  private var timerGeneration = 0

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
    timerGeneration += 1
    guard let process = world.anyProcess(&random) else {
      comeBack(.atOnce)
      return
    }
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
    timerGeneration += 1
    let link = link
    self.link = nil
    link?.giveUp()
  }

  /// What it waits for has come: nothing is done any more that was planned for the case that it does not.
  func cancelTimers() { timerGeneration += 1 }

  /// The server has let it in: the next wait is a short one.
  func resetBackOff() { backOff.succeeded() }

  /// Calls again after a while.
  ///
  /// - Parameter ending: how the last connection has ended.
  /// - Returns: false if it is not to come back.
  @discardableResult func comeBack(_ ending: Bye.Return) -> Bool {
    guard let delay = backOff.delay(after: ending, using: &random) else { return false }
    planCall(after: delay)
    return true
  }

  /// Calls again after so many milliseconds.
  func planCall(after milliseconds: Int) {
    timerGeneration += 1
    after(milliseconds) { [weak self] in self?.owner?.callAgain() }
  }

  /// Does something after so many milliseconds, unless timers were cancelled, or the connection is another one then, or none.
  func after(_ milliseconds: Int, _ body: @escaping () -> Void) {
    let generation = timerGeneration
    world.scheduler.at(world.scheduler.now + UInt64(milliseconds) * 1_000_000) { [weak self] in
      if let self, timerGeneration == generation { body() }
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
    timerGeneration += 1
    owner?.wasCut(link)
  }
}
