import RibServer
import Wire

/// Requests to read sessions that are answered together; each session is in it once.
struct PostgresReads {
  private(set) var requests: [StoreRequest] = []
  private var names: Set<ExactString> = []

  /// Whether nothing is asked for.
  var isEmpty: Bool { requests.isEmpty }

  /// Takes a request in, if it reads a session, and one of which there is no other request yet.
  ///
  /// - Parameter request: what is asked for.
  /// - Returns: false if it is to be done in another way, behind those that are in.
  mutating func accept(_ request: StoreRequest) -> Bool {
    guard let name = request.readName, names.insert(ExactString(name)).inserted else { return false }
    requests.append(request)
    return true
  }
}

extension StoreRequest {
  /// The session that is to be read, or that a client comes back to; nil if it is neither.
  var readName: String? {
    switch self {
    case .load(let id, _, _): id
    case .resume(let resume): resume.sessionID
    default: nil
    }
  }
}
