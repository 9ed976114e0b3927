import Wire

/// A line that a process writes which restores sessions, for the one that has started it: it knows from the last one where the process
/// died.
enum CheckLine: Equatable {
  /// A session is restored from here on.
  case begun(session: String, app: String)
  /// A riblet of it is, from here on.
  case riblet(String)
  /// The check of a session is done.
  case done(CheckedSession)

  /// Reads a line; nil if it is none.
  ///
  /// - Parameter text: the line, without its end.
  init?(_ text: String) {
    guard let json = try? JSONValue(parsing: text) else { return nil }
    if let session = json["session"]?.string, let app = json["app"]?.string {
      self = .begun(session: session, app: app)
    } else if let riblet = json["riblet"]?.string {
      self = .riblet(riblet)
    } else if let outcome = json["outcome"]?.string.flatMap({ CheckedSession.Outcome(rawValue: $0) }) {
      var session = CheckedSession(outcome: outcome)
      session.migrations = (json["migrations"]?.array ?? []).compactMap { CheckedSession.Migration($0) }
      session.problems = (json["problems"]?.array ?? []).compactMap { CheckedSession.Problem($0) }
      self = .done(session)
    } else {
      return nil
    }
  }

  /// The line, without its end.
  var text: String {
    let json: JSONObject
    switch self {
    case .begun(let session, let app): json = ["session": .string(session), "app": .string(app)]
    case .riblet(let type): json = ["riblet": .string(type)]
    case .done(let session):
      json = [
        "outcome": .string(session.outcome.rawValue), "migrations": .array(session.migrations.map(\.json)),
        "problems": .array(session.problems.map(\.json)),
      ]
    }
    return JSONValue.object(json).text
  }
}

extension CheckedSession.Migration {
  fileprivate init?(_ json: JSONValue) {
    guard let type = json["type"]?.string, case .integer(let from)? = json["from"], case .integer(let to)? = json["to"]
    else { return nil }
    self.init(type: type, from: Int(from), to: Int(to))
  }

  /// The migration as an object.
  var json: JSONValue {
    .object(["type": .string(type), "from": .integer(Int64(from)), "to": .integer(Int64(to))])
  }
}

extension CheckedSession.Problem {
  fileprivate init?(_ json: JSONValue) {
    guard let reason = json["reason"]?.string else { return nil }
    self.init(type: json["type"]?.string, reason: reason)
  }

  /// The problem as an object.
  var json: JSONValue {
    var members: JSONObject = ["reason": .string(reason)]
    members["type"] = type.map { .string($0) }
    return .object(members)
  }
}

extension JSONValue {
  fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
  fileprivate var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
