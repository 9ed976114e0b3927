import RibCore
import Wire

/// What the server tells of its apps.
extension Connection {
  /// The names of the apps: `{"apps":[…]}`.
  func listApps() -> Response {
    var json = JSONWriter()
    json.beginObject()
    json.key("apps")
    json.beginArray()
    for name in context.apps.keys.sorted() { json.string(name) }
    json.endArray()
    json.endObject()
    return .described(json)
  }

  /// What the riblets of an app show and take: `{"app":…,"types":{…}}`.
  ///
  /// A riblet is known once it was attached somewhere in this process. If none was, a tree is started of which nothing is
  /// kept, and whose effects are not: what any client's `hello` starts as well.
  ///
  /// - Parameter name: the app's.
  /// - Returns: the response.
  /// - Throws: ``HTTPError`` with 404 if there is no such app.
  func describe(_ name: String) throws(HTTPError) -> Response {
    guard let app = context.apps[name] else {
      throw HTTPError(status: .notFound, reason: "There is no app \(name).")
    }
    var complaint: String?
    if app.schemas.isEmpty {
      do {
        _ = try app.makeTree(nil, "").0.start(rendering: ViewRenderer())
      } catch {
        complaint = "Without params no root can be built: \(error)"
      }
    }
    var json = JSONWriter()
    json.beginObject()
    json.key("app")
    json.string(name)
    if let complaint {
      json.key("$comment")
      json.string(complaint)
    }
    json.key("types")
    app.schemas.write(into: &json)
    json.endObject()
    return .described(json)
  }
}

extension Response {
  /// What may be another answer the next time.
  fileprivate static func described(_ json: JSONWriter) -> Response {
    Response(
      status: .ok, headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"], body: json.bytes)
  }
}
