/// The tokens by which operators and their tools are let in to an admin listener.
///
/// A file has a token a line, as `NAME:ROLE:HASH`: who has the token, what the token is good for, and its SHA-256 in hexadecimal digits. Empty
/// lines, and lines that begin with `#`, are skipped.
public struct AdminTokens: Equatable, Sendable {
  /// The rights that a token gives.
  public enum Role: String, CaseIterable, Sendable {
    /// To look.
    case look
    /// To look, and to act.
    case operate
  }

  /// An operator or a tool that has shown a token.
  public struct Bearer: Equatable, Sendable {
    /// The name of the person or tool that the token was given to.
    public let name: String
    /// The rights that the token gives.
    public let role: Role
    /// The first digits of the token's hash: another token of the same name has others.
    let mark: String
  }

  private struct Entry: Equatable {
    let bearer: Bearer
    let hash: String

    init(_ name: String, _ role: Role, _ hash: String) {
      bearer = Bearer(name: name, role: role, mark: String(hash.prefix(16)))
      self.hash = hash
    }
  }

  private let entries: [Entry]

  /// The operators who have tokens.
  var bearers: [Bearer] { entries.map(\.bearer) }

  /// One token, which is good for everything.
  ///
  /// - Parameter token: the token.
  public init(token: String) {
    entries = [Entry("operator", .operate, SessionToken.hash(token))]
  }

  /// The tokens of a file.
  ///
  /// - Parameter text: the file's text.
  /// - Throws: ``AdminTokensError`` with the first line that is no token, or if there is none.
  public init(_ text: String) throws(AdminTokensError) {
    var entries: [Entry] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = line.filter { !$0.isWhitespace }
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3, !parts[0].isEmpty, let role = Role(rawValue: parts[1]) else {
        throw AdminTokensError(line: index + 1, reason: "it is to be NAME:ROLE:HASH, and ROLE look or operate")
      }
      let hash = parts[2].lowercased()
      guard hash.utf8.count == 64, hash.allSatisfy(\.isHexDigit) else {
        throw AdminTokensError(line: index + 1, reason: "HASH is to be the token's SHA-256 in 64 hexadecimal digits")
      }
      entries.append(Entry(parts[0], role, hash))
    }
    guard !entries.isEmpty else { throw AdminTokensError(line: 1, reason: "there is no token") }
    self.entries = entries
  }

  /// The tokens of a file.
  ///
  /// - Parameter path: the file.
  /// - Throws: ``SystemError`` if it cannot be read; ``AdminTokensError`` with the first line that is no token, or if there is none.
  public init(file path: String) throws {
    guard let text = readShortFile(path) else { throw SystemError.last("read \(path)") }
    try self.init(text)
  }

  /// The bearer of a token; nil if nobody has it.
  ///
  /// All entries are compared, each as long for every wrong token.
  ///
  /// - Parameter token: what was shown.
  /// - Returns: the bearer.
  public func bearer(of token: String) -> Bearer? {
    var found: Bearer?
    for entry in entries where SessionToken.matches(token, entry.hash) { found = entry.bearer }
    return found
  }
}

/// A file of tokens cannot be read.
public struct AdminTokensError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The fault of the line.
  public let reason: String

  /// One sentence for a person.
  public var description: String { "Line \(line) of the tokens in admin.tokenFile cannot be read: \(reason)." }
}
