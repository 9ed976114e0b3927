import CurlTransport
import Foundation
import RibTestSupport
import Wire

/// Plays the clients of a conversation with a daemon, and compares what that says with what was recorded.
struct ConversationPlayer {
  /// What becomes of the server between two messages.
  private enum ServerEvent: String {
    /// Its process is killed with -9, and every connection with it.
    case killed
    /// It is told to stop, and goes on until its time is up.
    case stopped
    /// Once the last process has ended, the next one begins with what that has left.
    case started
    /// The state directory is copied; no process runs.
    case saved
    /// The copy is put in the place of the state directory; no process runs.
    case restored
  }

  private var file: ConversationFile
  private let directory: TemporaryDirectory
  private var daemon: Daemon
  /// The connections, by the names of their clients: the client that the conversation is about has the empty one.
  private var connections: [String: CurlWebSocket] = [:]
  /// How the server has closed a connection, until its client takes note.
  private var closeCodes: [String: CloseCode] = [:]
  private var values = RandomValues()

  /// Starts the daemon that a conversation needs.
  init(_ file: ConversationFile) throws {
    let directory = try TemporaryDirectory()
    self.file = file
    self.directory = directory
    daemon = try Self.start(for: file, in: directory)
  }

  /// A daemon with the settings that it has by itself, but for a store in memory where the conversation had such a one.
  private static func start(for file: ConversationFile, in directory: TemporaryDirectory) throws -> Daemon {
    let store = file.isOnDisk ? "sqlite" : "memory"
    return try Daemon(
      ["--store", store, "--timeouts-drain-seconds", "2"], stateDirectory: stateDirectory(in: directory))
  }

  private static func stateDirectory(in directory: TemporaryDirectory) -> String { "\(directory.path)/state" }

  /// Plays every step.
  ///
  /// A message that differs is put into the file where `TestRun` says that conversations are recorded anew.
  ///
  /// - Throws: ``ConversationError`` at the first message that differs otherwise, and where one is missing or too many.
  mutating func play() throws {
    for step in file.steps {
      do {
        try take(step)
      } catch {
        throw ConversationError(description: "\(file.place(of: step)): \(error)")
      }
    }
    for (client, socket) in connections { try expectNothing(for: client, on: socket) }
    if TestRun.recordsAnew { try file.write() }
  }

  /// Does what a step says of the wire; what it says of a client alone is for the clients' own tests.
  private mutating func take(_ step: ConversationFile.Step) throws {
    let client = step["other"]?.string ?? ""
    if let event = step["server"] {
      try happen(event)
    } else if step["C"] != nil {
      try say(step, as: client)
    } else if let message = step["S"] {
      try hear(message, step, as: client)
    } else if let code = step["cut"] {
      try cut(client, code)
    }
  }

  /// Sends what has arrived then; every `hello` opens a connection.
  private mutating func say(_ step: ConversationFile.Step, as client: String) throws {
    if step["isLost"] != nil { return }
    let key = step["arrivesAs"] == nil ? "C" : "arrivesAs"
    if step[key]?["t"] == .string("hello") {
      closeCodes[client] = nil
      connections[client] = try CurlWebSocket(url: daemon.url)
    }
    try connection(of: client).send(values.live(try step.source(of: key)))
  }

  /// Takes the next message, also one that a client did not get, and compares it.
  private mutating func hear(_ recorded: JSONValue, _ step: ConversationFile.Step, as client: String) throws {
    let socket = try connection(of: client)
    guard let text = try socket.text() else {
      throw ConversationError(description: "the server has ended the connection")
    }
    values.learn(recorded: recorded, live: try JSONValue(parsing: text))
    let said = values.recorded(text)
    let message = try JSONValue(parsing: said)
    if Self.comparable(message) != Self.comparable(recorded) {
      guard TestRun.recordsAnew else {
        let old = try step.source(of: "S")
        throw ConversationError(description: "the server says\n  \(said)\nand not\n  \(old)")
      }
      try file.record(said, at: step)
    }
    if message["t"] == .string("bye") { try hearEnd(message, on: socket, as: client) }
  }

  /// A message without what differs from version to version.
  private static func comparable(_ message: JSONValue) -> JSONValue {
    guard case .object(var members) = message else { return message }
    members.removeValue(forKey: "build")
    return .object(members)
  }

  /// Takes the close frame behind a `bye`, whose code belongs to that of the `bye`.
  private mutating func hearEnd(_ bye: JSONValue, on socket: CurlWebSocket, as client: String) throws {
    let incoming = try socket.receive()
    let expected = bye["code"]?.string.flatMap(Bye.init(rawValue:))?.closeCode
    guard case .closed(let code?, _) = incoming, code == expected else {
      throw ConversationError(description: "\(incoming) comes after \(bye.text)")
    }
    connections[client] = nil
    closeCodes[client] = code
  }

  /// Cuts a connection that is there; how the server has closed one is compared.
  private mutating func cut(_ client: String, _ code: JSONValue) throws {
    guard let closeCode = closeCodes.removeValue(forKey: client) else {
      guard let socket = connections.removeValue(forKey: client) else { return }
      try expectNothing(for: client, on: socket)
      return socket.socket.cut()
    }
    guard code == .integer(Int64(closeCode.rawValue)) else {
      throw ConversationError(description: "the server has closed the connection with \(closeCode.rawValue)")
    }
  }

  private mutating func happen(_ event: JSONValue) throws {
    let state = Self.stateDirectory(in: directory)
    let copy = "\(directory.path)/copy"
    switch event.string.flatMap(ServerEvent.init(rawValue:)) {
    case .killed?:
      connections = [:]
      _ = daemon.stop(SIGKILL)
    case .stopped?: kill(daemon.pid, SIGTERM)
    case .started?:
      _ = daemon.stop(0)
      daemon = try Self.start(for: file, in: directory)
    case .saved?: try FileManager.default.copyItem(atPath: state, toPath: copy)
    case .restored?:
      try FileManager.default.removeItem(atPath: state)
      try FileManager.default.copyItem(atPath: copy, toPath: state)
    case nil: throw ConversationError(description: "there is no such event of a server")
    }
  }

  private func connection(of client: String) throws -> CurlWebSocket {
    guard let socket = connections[client] else {
      throw ConversationError(description: "the client has no connection")
    }
    return socket
  }

  /// Sees that nothing is there to be heard that was not recorded: the next message is the answer to a `ping`.
  private func expectNothing(for client: String, on socket: CurlWebSocket) throws {
    try socket.send(#"{"t":"ping"}"#)
    guard let text = try socket.text(), text == #"{"t":"pong"}"# else {
      throw ConversationError(description: "the server says more than was recorded, or nothing, to \"\(client)\"")
    }
  }
}
