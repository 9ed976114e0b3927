/// What happened in a session, transaction by transaction, as a server has written it with the setting `record`.
///
/// A text of JSON Lines. A session that leaves memory and comes back goes on in the same file: each of its lives in memory
/// begins with a header, and then with how it started, so that each can be replayed without those before it.
public struct SessionRecording: Equatable, Sendable {
  /// The version of the format that is written, and the latest that is read.
  package static let version = 1

  /// What a life in memory begins with.
  public struct Header: Equatable, Sendable {
    /// The version of the server that has written it.
    public let build: String
    /// The app's name.
    public let app: String
    /// The session's name.
    public let session: String
    /// The parameters that the session was started with, as JSON.
    public let parameters: String?

    /// A header.
    ///
    /// - Parameters:
    ///   - build: the version of the server that writes it.
    ///   - app: the app's name.
    ///   - session: the session's name.
    ///   - parameters: the parameters that the session was started with, as JSON.
    package init(build: String, app: String, session: String, parameters: String?) {
      self.build = build
      self.app = app
      self.session = session
      self.parameters = parameters
    }
  }

  /// A transaction and where it stands.
  package struct Entry: Equatable, Sendable {
    /// The line, counted from 1.
    package let line: Int
    /// The transaction.
    package let transaction: RecordedTransaction
  }

  /// A session from its start, or its return into memory, to its leaving it.
  public struct Life: Equatable, Sendable {
    /// What session it is.
    public let header: Header
    /// What happened, at least the start.
    package internal(set) var entries: [Entry]
  }

  /// The session's lives in memory, at least one.
  ///
  /// With a store, a later one goes on with what was committed: when a server was killed, the last transactions of the life
  /// before may not have been.
  public let lives: [Life]
  /// Lines that are cut off, because the server was killed or the disk was full: they are left out.
  public let tornLines: [Int]

  /// Reads a recording.
  ///
  /// - Parameter bytes: the file.
  /// - Throws: ``SessionRecordingError``.
  public init(parsing bytes: [UInt8]) throws(SessionRecordingError) {
    var lives: [Life] = []
    var torn: [Int] = []
    // A line is cut off only at the end of a file, or where a server has begun anew.
    var suspect: (line: Int, reason: String)?
    // As deep as a state can be, in a line.
    var reader = JSONReader(limits: JSONLimits(depth: 520, bytes: Int(UInt32.max)))
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      guard !line.isEmpty else { continue }
      let json: JSONElement
      do throws(JSONError) {
        json = try reader.read(Array(line).span).root
      } catch {
        if let suspect { throw .malformed(line: suspect.line, reason: suspect.reason) }
        suspect = (number, "\(error)")
        continue
      }
      let kind = json[MessageKey.kind]?.string ?? ""
      if kind == RecordingKind.session.description {
        if let suspect { torn.append(suspect.line) }
        suspect = nil
        lives.append(Life(header: try Header(json, line: number), entries: []))
        continue
      }
      if let suspect { throw .malformed(line: suspect.line, reason: suspect.reason) }
      guard !lives.isEmpty else { throw .malformed(line: number, reason: "A recording begins with a session line.") }
      do throws(MessageError) {
        let entry = Entry(line: number, transaction: try RecordedTransaction(json, kind: kind))
        lives[lives.count - 1].entries.append(entry)
      } catch {
        throw .malformed(line: number, reason: "\(error)")
      }
    }
    if let suspect { torn.append(suspect.line) }
    self.lives = lives.filter { !$0.entries.isEmpty }
    tornLines = torn
    if self.lives.isEmpty { throw .empty }
  }

  /// Decodes the parameters that the session was started with.
  ///
  /// - Parameter type: as the app has it.
  /// - Returns: the parameters; those of `{}` if there were none.
  /// - Throws: `DecodingError` or ``JSONError``.
  public func parameters<Parameters: Decodable>(as type: Parameters.Type) throws -> Parameters {
    try ActionDecoder.decodeValue(type, from: try StateCoder.read(lives.first?.header.parameters ?? "{}"))
  }
}

extension SessionRecording.Header {
  /// Writes the header as a line, without its end.
  ///
  /// - Parameter json: where to.
  package func write(into json: inout JSONWriter) {
    json.message(RecordingKind.session) { json in
      json.member(MessageKey.version, SessionRecording.version)
      json.member(MessageKey.build, build)
      json.member(MessageKey.app, app)
      json.member(MessageKey.sessionID, session)
      if let parameters { json.member(MessageKey.parameters, json: parameters) }
    }
  }

  fileprivate init(_ json: JSONElement, line: Int) throws(SessionRecordingError) {
    guard let version: Int = json[MessageKey.version]?.integer() else {
      throw .malformed(line: line, reason: "The line has no \"version\".")
    }
    let build = json[MessageKey.build]?.string ?? "?"
    guard version <= SessionRecording.version else { throw .newer(line: line, version: version, build: build) }
    self.init(
      build: build, app: json[MessageKey.app]?.string ?? "", session: json[MessageKey.sessionID]?.string ?? "",
      parameters: json[MessageKey.parameters]?.source)
  }
}

/// A recording that cannot be read.
public enum SessionRecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no whole transaction in it.
  case empty
  /// A later version of the server has written it.
  case newer(line: Int, version: Int, build: String)
  /// A line is none of a recording.
  case malformed(line: Int, reason: String)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .empty: "The recording has no transaction: its session was not started, or nothing was written yet."
    case .newer(let line, let version, let build):
      """
      Line \(line): the recording has format \(version), of RibServer \(build), and this program reads up to \
      \(SessionRecording.version): use a newer one.
      """
    case .malformed(let line, let reason): "Line \(line) is damaged: \(reason)"
    }
  }
}
