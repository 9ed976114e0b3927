public import Configuration
import Wire
import WireHTTP

/// How a server is set up.
///
/// Each setting has one name, used in the file; its flag and its environment variable follow from it:
/// `limits.actionsPerSecond` is `--limits-actions-per-second` and `RIBD_LIMITS_ACTIONS_PER_SECOND`. <doc:Settings> has all of
/// them.
public struct ServerSettings: Equatable, Sendable {
  /// What a client may cost.
  public struct Limits: Equatable, Sendable {
    /// `limits.messageBytes`: bytes of a message.
    ///
    /// 64 KiB hold any action that is not an upload.
    public var messageBytes = 65_536
    /// `limits.actionsPerSecond`: actions that a client may send a second in the long run.
    ///
    /// No one clicks that fast. Frames, messages of all kinds and requests that do not wait for an answer may come ten times
    /// as often, and long ones count more than once; with 0 none of them is limited.
    public var actionsPerSecond = 50
    /// `limits.actionBurst`: actions that a client may send at once.
    public var actionBurst = 100
    /// `limits.paramsBytes`: bytes of the `params` that a session is begun with, which are kept as long as the session is.
    public var paramsBytes = 16_384
    /// `limits.writeQueueBytes`: how much may wait for a client that does not read before it gets no more patches, and is
    /// not read from.
    ///
    /// Answers that wait for a commit may be four times as much until their client is not read from.
    public var writeQueueBytes = 65_536
    /// `limits.connections`: connections at a time; one more is answered 503.
    ///
    /// Each takes a descriptor, and some kilobytes once it has a session.
    public var connections = 20_000
    /// `limits.connectionsPerAddress`: connections at a time from one IPv4 address, or from one IPv6 network of 64 bits; 0 for no
    /// limit.
    ///
    /// Those of a trusted proxy are counted to whom it speaks for. Programs on this machine that no proxy speaks for have no limit.
    public var connectionsPerAddress = 1_000
    /// `limits.newSessionsPerMinute`: sessions that may be begun a minute from one address, as it is counted for
    /// ``connectionsPerAddress``, and by one person, in the long run and at once; 0 for any number.
    public var newSessionsPerMinute = 60
    /// `limits.failedSignInsPerMinute`: wrong credentials a minute from one address, counted likewise, after which credentials from there
    /// are refused unseen; 0 for any number.
    ///
    /// To check a credential takes as long as twenty actions.
    public var failedSignInsPerMinute = 20
    /// `limits.sessionsPerAddress`: sessions that were begun from one address and that the store keeps; 0 for any number.
    ///
    /// Addresses are counted as for ``connectionsPerAddress``, and sessions with a connection or without. A server whose store is in memory
    /// does not count them.
    public var sessionsPerAddress = 1_000
    /// `limits.sessionsPerIdentity`: sessions with a client of one person that the store keeps, after which the person cannot begin
    /// another; 0 for any number.
    public var sessionsPerIdentity = 100
    /// `limits.connectionsPerIdentity`: connections at a time of one person; 0 for any number.
    public var connectionsPerIdentity = 100
    /// `limits.sessions`: sessions at a time, with a connection or without; a client that wants one more is told to come back later.
    public var sessions = 100_000
    /// `limits.memoryMegabytes`: memory of the process, in units of 1,048,576 bytes, above which sessions in which nothing
    /// happens leave it and no new ones are taken; with 0, the default, ``memoryPercent`` says so.
    public var memoryMegabytes = 0
    /// `limits.memoryPercent`: the same as a share of what the process's control group may have (`memory.max`) or, without
    /// one, of the machine's memory; with 0 there is no ceiling.
    ///
    /// A quarter is left for what comes between two looks, and for the system's copy of the store's file.
    public var memoryPercent = 75
    /// `limits.bodyBytes`: bytes of a request's body that nobody wants; one that is wanted may be as long as a message (``messageBytes``).
    public var bodyBytes = HTTPLimits().bodyBytes

    /// The defaults.
    public init() {}

    var session: Int { sessions }
    var message: Int { messageBytes }
    /// The bytes that the process should keep within; nil for any number.
    ///
    /// - Parameter memory: what it may have at most; nil if that is not known.
    /// - Returns: the ceiling.
    func memoryCeiling(of memory: Int?) -> Int? {
      if memoryMegabytes > 0 { return memoryMegabytes << 20 }
      guard memoryPercent > 0, let memory else { return nil }
      return memory / 100 * memoryPercent + memory % 100 * memoryPercent / 100
    }

    var http: HTTPLimits { HTTPLimits(bodyBytes: bodyBytes, keptBodyBytes: messageBytes) }
    var writeQueue: Int { writeQueueBytes }

    var announced: Welcome.Limits {
      Welcome.Limits(messageBytes: messageBytes, actionsPerSecond: actionsPerSecond, actionBurst: actionBurst)
    }
  }

  /// Where sessions are kept.
  public enum Store: String, CaseIterable, Sendable {
    /// In the server's memory: they end with it.
    case memory
    /// In an SQLite file in the state directory.
    case sqlite
    /// In PostgreSQL, at ``storeURL``: for programs that have `RibPostgres`, as `ribd-cluster`.
    case postgres
  }

  /// What an answer that a client has got survives, with a store that outlives the server.
  public enum Durability: String, CaseIterable, Sendable {
    /// A power cut: each commit waits for the disk.
    case disk
    /// The end of the server's process, however it comes.
    case process
  }

  /// How messages are compressed with clients that offer it (RFC 7692).
  public struct Compression: Equatable, Sendable {
    /// `compression.keepsContext`: whether a message may refer to earlier ones, unless the client does not want it.
    ///
    /// Small messages become smaller by it, and every connection keeps zlib's state: 200 KB with the largest window, 50
    /// with one of 12 bits. Without it only the loops have some.
    public var keepsContext = false
    /// `compression.windowBits`: how far back it refers at most, as the binary logarithm of bytes; 9 to 15.
    public var windowBits = PerMessageDeflate.largestWindowBits
    /// `compression.thresholdBytes`: bytes from which a message is compressed.
    ///
    /// A shorter one shrinks by little and takes as long as all else that is done for it.
    public var thresholdBytes = FrameWriter.defaultThreshold

    /// The defaults.
    public init() {}

    var policy: PerMessageDeflate.Policy {
      PerMessageDeflate.Policy(keepsContext: keepsContext, windowBits: windowBits)
    }
  }

  /// How long sessions last.
  public struct Sessions: Equatable, Sendable {
    /// `sessions.timeToLiveSeconds`: how long a session waits for its client to come back; with 0 it ends with its
    /// connection.
    public var timeToLiveSeconds = 86_400
    /// `sessions.untouchedSeconds`: how long at most, if the client has not acted: there is nothing to lose.
    public var untouchedSeconds = 300
    /// `sessions.restSeconds`: how long a session without a client stays in memory before it rests in the store.
    public var restSeconds = 300
    /// `sessions.idleRestSeconds`: how long a session with a client, in which nothing happens, stays in memory.
    ///
    /// The client does not notice that it is gone.
    public var idleRestSeconds = 600

    /// The defaults.
    public init() {}
  }

  /// How long a client may take.
  public struct Timeouts: Equatable, Sendable {
    /// `timeouts.handshakeSeconds`: from the connection, or a request's first byte, to its whole head, and from an upgrade
    /// to `hello`.
    public var handshakeSeconds = 10
    /// `timeouts.bodySeconds`: from a request's head to the end of its body; also the time in which a client has to take 4 KiB of its answer,
    /// or the rest of it.
    public var bodySeconds = 30
    /// `timeouts.idleSeconds`: from an answer to the next request's first byte.
    public var idleSeconds = 60
    /// `timeouts.heartbeatSeconds`: after this much silence a client sends a `ping`, and the server one of WebSocket's;
    /// ten seconds later the client is given up.
    ///
    /// Below the half minute after which many proxies drop an idle connection.
    public var heartbeatSeconds = 25
    /// `timeouts.closingSeconds`: from the server's last word to the client's close and, before it is out, as long as the
    /// client takes next to nothing, less than 4 KiB, of what it is owed.
    ///
    /// A last word that waits for a commit has the time of a silent client. After the close, the kernel gives up its unsent data when the
    /// client takes none of it for this time.
    public var closingSeconds = 5

    /// `timeouts.drainSeconds`: how long clients have to go elsewhere when the server stops, before it ends their
    /// connections; 0 for not at all.
    public var drainSeconds = 2
    /// `timeouts.storeSeconds`: how long the session store may take for one commit when the server stops, before it is not
    /// waited for any more: its disk may be gone.
    public var storeSeconds = 10
    /// `timeouts.authenticationSeconds`: how long the authenticator may take to check a credential, with the wait for its turn, before the
    /// client is told to come back later.
    public var authenticationSeconds = 10
    /// `timeouts.watchdogSeconds`: how long a reducer, or whatever else runs on a loop, may take before the process ends
    /// itself, so that its supervisor starts it anew; 0 for ever.
    ///
    /// A loop that hangs serves none of its clients. An action that was found to hang twice is not run a third time.
    public var watchdogSeconds = 30

    /// What either end has to answer a ping: a rule of the protocol, since both go by it.
    static let graceSeconds = 10

    /// The defaults.
    public init() {}
  }

  /// How clients are authenticated, by a server that has an authenticator.
  public struct Auth: Equatable, Sendable {
    /// `auth.graceSeconds`: how long a client may go on after its identity has expired; by then it has to have shown a new credential.
    public var graceSeconds = 30
    /// `auth.recheckSeconds`: how often the authenticator is asked whether a connected client's person is still let in,
    /// ``SessionAuthenticator/holds(_:)``; 0 for never.
    public var recheckSeconds = 0
    /// `auth.cookie`: the name of the cookie that is a credential, with the prefix `__Host-` or `__Secure-`; none if empty.
    ///
    /// A browser sends the cookie whichever page makes the request: so it counts only in a request that shows which origin its page has, or
    /// that a page of another site cannot make (with `Riblet-Token`).
    public var cookie = ""

    /// The defaults.
    public init() {}
  }

  /// The listener for those who operate the server: see ``AdminServer``.
  public struct Admin: Equatable, Sendable {
    /// `admin.listen`: where it listens, `127.0.0.1:9464` or `unix:/run/ribd/admin.sock`, which only the process' user can open; none if
    /// empty.
    public var listen = ""
    /// `admin.tokenFile`: a file with the tokens that let operators in, as ``AdminTokens`` reads it; if empty, a token is made with each start.
    public var tokenFile = ""
    /// `admin.showsState`: whether operators see what is in sessions, the view and the states; each look is then a line of the audit.
    public var showsState = false
    /// The descriptor of a socket that listens already, in place of ``listen``.
    public var socket: Int32?

    /// The defaults.
    public init() {}
  }

  /// The proxies in front of the server.
  public struct Proxies: Equatable, Sendable {
    /// The header field in which proxies say whom they speak for.
    public enum Field: String, CaseIterable, Sendable {
      /// `X-Forwarded-For`, and `X-Forwarded-Proto`.
      case xForwardedFor = "x-forwarded-for"
      /// `Forwarded` (RFC 7239).
      case forwarded
    }

    /// Whether connections begin with a header of the PROXY protocol.
    public enum ProxyProtocol: String, CaseIterable, Sendable {
      /// They begin with a request.
      case off
      /// They begin with a header of version 1 or 2, and come from a trusted proxy; others are refused.
      case required
    }

    /// `proxies.trusted`: addresses and networks (`10.0.0.0/8`) of proxies, `loopback` for those on this machine, and `unix` for
    /// who comes by a local socket.
    ///
    /// The client is the last one in the row of forwarded addresses that is not among them.
    public var trusted = ["loopback", "unix"]
    /// `proxies.field`: where they say whom they speak for.
    ///
    /// Each proxy has to write this field itself: what it does not write it passes on as its client has written it.
    public var field = Field.xForwardedFor
    /// `proxies.protocol`: whether connections begin with a header of the PROXY protocol.
    public var `protocol` = ProxyProtocol.off

    /// The defaults.
    public init() {}
  }

  /// `host`: the address to listen on, or `unix:` and the path of a socket.
  ///
  /// The default is reachable from this machine only.
  public var host: String
  /// `port`: the port to listen on; 0 picks a free one.
  public var port: Int
  /// The descriptor of a socket that listens already, in place of ``host`` and ``port``: see ``InheritedSockets``.
  ///
  /// The server closes it when it stops; whoever has handed it over goes on to listen.
  public var socket: Int32?
  /// `loops`: how many threads serve connections; 0 for one a core.
  public var loops = 0
  /// `lingerMilliseconds`: how long a loop waits for more after it found something to do; 0 for not at all.
  ///
  /// Longer is less CPU for the messages of few quick clients, and for answers that wait for a commit.
  public var lingerMilliseconds = 5
  /// `usesEpoll`: whether a loop watches its connections with one epoll set, where there is epoll.
  public var usesEpoll = true
  /// `usesCompression`: whether clients that offer permessage-deflate get it.
  public var usesCompression = true
  /// `echo`: whether `/echo` is a WebSocket that sends every message back, for conformance suites.
  public var echo = false
  /// `store`: where sessions are kept.
  public var store = Store.sqlite
  /// `storeURL`: where the database is that ``store`` names; empty for a store that needs none.
  ///
  /// It may have a password in it: give it by the environment, and not on the command line, which all users of the machine see.
  public var storeURL = ""
  /// `nodeListen`: a host and a port where other nodes with the same database reach this one; port 0 for any that is free.
  ///
  /// Nodes without it take sessions from each other without asking.
  /// Nodes prove to each other that they can read the database, and send nothing in secret: it is for a private network.
  public var nodeListen = ""
  /// `nodeAdvertise`: the same as the other nodes see it, where that is another name; if it is empty, ``nodeListen``.
  public var nodeAdvertise = ""
  /// `stateDir`: the directory of what outlives the server; it is made if there is none.
  ///
  /// The default is below the directory that the process was started in. Two programs want two directories.
  public var stateDirectory = "ribd-state"
  /// `restored`: whether the store was put back from a copy, for the first start after that: what clients have seen may be newer
  /// than what is in it, so that they are sent the whole view.
  public var isRestored = false
  /// `durability`: what an answer survives.
  public var durability = Durability.disk
  /// `record`: the directory in which each session is recorded, to be replayed as a test; none if empty.
  ///
  /// A recording has all that clients have sent and were shown: treat it as you treat a database of your users' secrets.
  public var recordDirectory = ""
  /// How long recordings are kept.
  public var recordings = Recordings()
  /// `publicURL`: where browsers see the server, as `https://app.example.com`; none if empty.
  ///
  /// Its pages may talk to the server, and the server answers for its host. Without it the pages may that come from the host in
  /// the request itself.
  public var publicURL = ""
  /// `origins`: other sites whose pages may talk to the server: `https://app.example.com`, `https://*.example.com` for all hosts
  /// below the domain, `http://localhost:*` for all ports, `*` for every page in the world.
  public var origins: [String] = []
  /// `hosts`: names in the Host field that the server answers for, besides that of ``publicURL``: `app.example.com`,
  /// `*.example.com`, `*` for any.
  ///
  /// If it is empty, a server that listens on this machine's own address also answers for `localhost`, `127.0.0.1` and `[::1]`, so that
  /// no page reaches it under a name of its own (DNS rebinding). Any other one answers for any name, unless it has a ``publicURL``.
  public var hosts: [String] = []
  /// The settings for pages of other sites.
  public var cors = CORS()
  /// The proxies in front of the server.
  public var proxies = Proxies()
  /// How clients are authenticated.
  public var auth = Auth()
  /// The listener for those who operate the server.
  public var admin = Admin()
  /// What a client may cost.
  public var limits = Limits()
  /// How messages are compressed.
  public var compression = Compression()
  /// How long sessions last.
  public var sessions = Sessions()
  /// How long a client may take.
  public var timeouts = Timeouts()

  /// The defaults, but for where to listen.
  ///
  /// - Parameters:
  ///   - host: the address to listen on.
  ///   - port: the port to listen on; 0 picks a free one.
  public init(host: String = "127.0.0.1", port: Int = 8080) {
    self.host = host
    self.port = port
  }

  /// Reads the settings.
  ///
  /// - Parameter config: where from; what it does not say keeps its default.
  /// - Throws: ``SettingsError`` for a value that a setting cannot have.
  public init(_ config: ConfigReader) async throws {
    self.init()
    for setting in Setting.all { try await setting.read(config, into: &self) }
    if let fault { throw fault }
  }

  /// What is wrong with a setting that did not come from a configuration; nil if all have values that they can have.
  var fault: SettingsError? {
    for setting in Setting.all {
      if let fault = setting.fault(in: self) { return fault }
    }
    // Any page can make itself one without an origin, by a frame in a sandbox.
    guard !auth.cookie.isEmpty, let any = origins.first(where: { $0 == "*" || $0 == OriginPolicy.opaque }) else {
      return nil
    }
    return SettingsError(
      key: "origins", value: "\"\(any)\"",
      wanted: "a list of origins where auth.cookie is set: any page would act for its visitors")
  }
}

/// A setting has a value that it cannot have.
public struct SettingsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The setting's name.
  public let key: String
  /// Its value.
  public let value: String
  /// The values that it can have.
  public let wanted: String

  init(key: String, value: String, wanted: String) {
    self.key = key
    self.value = value
    self.wanted = wanted
  }

  init(key: String, value: String, range: ClosedRange<Int>) {
    self.init(key: key, value: value, wanted: "from \(range.lowerBound) to \(range.upperBound)")
  }

  /// One sentence for a person.
  public var description: String { "The setting \"\(key)\" is \(value); it must be \(wanted)." }
}
