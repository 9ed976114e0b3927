/// The transactions of a session, as a server has recorded them with the setting `record`.
///
/// A recording is a text of JSON Lines. A session that leaves memory and comes back continues in the same file. Each of
/// its lives in memory begins with a header and with how the life began, so that it can be replayed without those
/// before it.
public struct SessionRecording: Equatable, Sendable {
  /// The version of the format: the one that is written, and the latest that is read.
  package static let version = 1

  /// The first line of a life in memory.
  public struct Header: Equatable, Sendable {
    /// The version of the server that wrote the recording.
    public let build: String
    /// The app's name.
    public let app: String
    /// The session's name.
    public let session: String
    /// The parameters that the session was started with, as JSON; nil if there were none.
    public let parameters: String?

    /// The header of a life in memory.
    ///
    /// - Parameters:
    ///   - build: the version of the server that writes the recording.
    ///   - app: the app's name.
    ///   - session: the session's name.
    ///   - parameters: the parameters that the session was started with, as JSON; nil if there were none.
    package init(build: String, app: String, session: String, parameters: String?) {
      self.build = build
      self.app = app
      self.session = session
      self.parameters = parameters
    }
  }

  /// A transaction and its line in the file.
  package struct Entry: Equatable, Sendable {
    /// The number of the line, counted from 1.
    package let line: Int
    /// The transaction.
    package let transaction: RecordedTransaction
  }

  /// One life of a session in memory: from its start or restoration until it left memory.
  public struct Life: Equatable, Sendable {
    /// The session and the server.
    public let header: Header
    /// The transactions; the first is the start or the restoration.
    package internal(set) var entries: [Entry]
  }

  /// The session's lives in memory, at least one.
  ///
  /// A later life continues from what the store had committed. If a server was killed, that may lack the last
  /// transactions of the life before.
  public let lives: [Life]
  /// The numbers of incomplete lines, which are left out: the server was killed while it wrote them, or the disk was
  /// full.
  public let tornLines: [Int]

  /// Reads a recording from the bytes of a file.
  ///
  /// - Throws: ``SessionRecordingError``.
  public init(parsing bytes: [UInt8]) throws(SessionRecordingError) {
    var lives: [Life] = []
    var torn: [Int] = []
    // An unreadable line, damaged unless it turns out to be incomplete: a line can be cut off only at the end of the
    // file, or before the header that a new server has written.
    var suspect: (line: Int, reason: String)?
    var reader = JSONReader(limits: JSONLimits(bytes: Int(UInt32.max)))
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

  /// Decodes the parameters that the session was started with; without parameters, decodes `{}`.
  ///
  /// - Throws: `DecodingError` or ``JSONError``.
  public func parameters<Parameters: Decodable>(as type: Parameters.Type) throws -> Parameters {
    try ActionDecoder.decodeValue(type, from: try StateCoder.read(lives.first?.header.parameters ?? "{}"))
  }
}

extension SessionRecording.Header {
  /// Writes the header as a line, without the line's end.
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

/// Why a recording cannot be read.
public enum SessionRecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The recording has no complete transaction.
  case empty
  /// The line was written by a later version of the server.
  case newer(line: Int, version: Int, build: String)
  /// The line is not one of a recording.
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
