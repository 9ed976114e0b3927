import RibCore
import Synchronization
import Wire

@testable import RibClient
@testable import RibServer

/// Clients, connections, servers and a store, and a schedule of what happens to them: all of it follows from a seed.
///
/// One session, up to three clients, up to two servers on one store. There is no time: whatever may take long is a step of
/// its own, and the next step is drawn at random.
final class ModelWorld {
  let rules: Set<ModelRule>
  var random: ModelRandom
  let socket: ModelSocket
  private let environment: Environment
  let store: ModelStore
  var servers: [ModelServer] = []
  var clients: [ModelClient] = []
  var links: [ModelLink] = []
  var linkCount = 0
  private var serverCount = 0
  /// Whether clients come to either of two servers.
  let isCluster: Bool
  /// The actions whose effects have started, while the server said that it survives a crash.
  var started: Set<Int> = []
  /// What was published last, to the sessions of all servers.
  var published = 0
  let newsKind: ModelNews.Kind
  /// Whether the schedule is still under way.
  var isUnderWay = true
  /// Whether the store has ever failed: what was told then may be lost.
  var hasStoreFailed = false
  private(set) var stepCount = 0
  /// What clients do, and to whom.
  let actions = [
    ("add", ""), ("add", ""), ("open", ""), ("close", ""), ("sulk", ""), ("work", ""), ("add", "detail"),
    ("add", "detail"), ("dance", ""),
  ]
  /// What happened; nil unless it is to be printed.
  private(set) var log: [String]?

  /// A world in which nothing has happened.
  ///
  /// - Parameters:
  ///   - seed: what all follows from.
  ///   - broken: rules that are not kept.
  ///   - socket: memory to work in.
  ///   - keepsLog: whether its steps are to be printed.
  init(seed: UInt64, without broken: Set<ModelRule>, _ socket: ModelSocket, keepsLog: Bool = false) {
    rules = Set(ModelRule.allCases).subtracting(broken)
    random = ModelRandom(seed: seed)
    self.socket = socket
    environment = Self.environment(seed: seed)
    isCluster = random.oneIn(4)
    store = ModelStore(rules, random.oneIn(3) ? .waits : .goesOn)
    newsKind = ModelNews.Kind.allCases[random.below(3)]
    log = keepsLog ? [] : nil
    for _ in 0..<(isCluster ? 2 : 1) { servers.append(makeServer()) }
    clients.append(ModelClient(number: 1, isQuiet: rules.contains(.quiet)))
  }

  /// Seconds since 1970.
  static let wallClock = 4_000_000_000

  /// A world without time, in which random bits follow from the seed.
  private static func environment(seed: UInt64) -> Environment {
    let random = Mutex(ModelRandom(seed: ~seed))
    var environment = Environment.system
    environment.time = TimeSource(monotonic: { 0 }, wall: { wallClock })
    environment.randomWord = { random.withLock { $0.next() } }
    return environment
  }

  func makeServer() -> ModelServer {
    serverCount += 1
    let news = ModelNews(published, newsKind)
    return ModelServer(serverCount, rules, store, socket, environment, news) { [unowned self] name in
      if !hasStoreFailed { started.insert(name) }
    } interrupt: { [unowned self] in
      if isUnderWay, random.oneIn(8) { tell() }
    }
  }

  func note(_ text: @autoclosure () -> String) {
    stepCount += 1
    log?.append(text())
  }

  // MARK: The run

  /// Runs the schedule.
  ///
  /// - Throws: ``ModelFinding`` if it comes to something that may not be.
  func run() throws {
    defer { end() }
    let count = 20 + random.below(80)
    // Not every step that is drawn can be taken.
    for _ in 0..<(4 * count) where stepCount < count { try step() }
    try calmDown()
    try compareViews()
    try crash(keepsPower: false)
  }

  /// Lets go of what refers to itself.
  private func end() {
    isUnderWay = false
    for server in servers { server.die() }
    for link in links { link.connection = nil }
  }

  private func step() throws {
    switch random.below(44) {
    case 0..<7: try act()
    case 7..<14: try deliverUp()
    case 14..<21: try deliverDown()
    case 21..<24: try write()
    case 24..<27: try sync()
    case 27: try loseLink()
    case 28: try serverHears()
    case 29: if random.oneIn(3) { try crash(keepsPower: random.oneIn(2)) }
    case 30: try rest()
    case 31: try stall()
    case 32: try breakStore()
    case 33: try share()
    case 34: try join()
    case 35: try acknowledge()
    case 36: try endEffect()
    case 37: try check()
    case 38: try settle()
    case 39: try publish()
    case 40: try runEffects()
    default: try connect()
    }
  }
}
