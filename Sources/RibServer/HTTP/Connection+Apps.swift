import Logging
import RibCore
import RibSchema
import Synchronization
import Wire
import WireHTTP

/// What the server tells of its apps.
extension Connection {
  /// The names of the apps: `{"apps":[…]}`.
  func listApps() -> Response {
    var json = JSONWriter()
    json.beginObject()
    json.key("apps")
    json.beginArray()
    for name in context.appNames { json.string(name) }
    json.endArray()
    json.endObject()
    return .described(json)
  }

  /// What the riblets of an app show and take: `{"app":…,"types":{…}}`.
  ///
  /// A riblet is known once it was attached somewhere in this process. If none was, a tree is started of which nothing is
  /// kept, and whose effects are not started: what any client's `hello` does as well.
  ///
  /// - Parameter name: the app's.
  /// - Returns: the response.
  /// - Throws: ``HTTPError`` with 404 if there is no such app, 503 if there is no memory to look at it.
  func describe(_ name: String) throws(HTTPError) -> Response {
    guard let app = context.apps[name] else {
      throw HTTPError(status: .notFound, reason: "There is no app \(name).")
    }
    guard !context.isOverMemory.load(ordering: .relaxed) else {
      throw HTTPError(.full, "The server has no memory left.")
    }
    loop.work.flight?.begin(.description, of: app.name)
    defer { loop.work.flight?.end() }
    let complaint = app.schemas.isEmpty ? start(app) : nil
    var json = JSONWriter()
    json.beginObject()
    json.key("app")
    json.string(app.name)
    if let complaint {
      json.key("$comment")
      json.string(complaint)
    }
    json.key("types")
    app.schemas.write(into: &json)
    json.endObject()
    return .described(json)
  }

  /// Starts a tree of an app, for its schema.
  private func start(_ app: App) -> String? {
    do {
      _ = try app.makeTree(nil, App.Session(id: "", keyPrefix: "")).tree.start(rendering: ViewRenderer())
      return nil
    } catch let error as DecodingError {
      return "Without params no root can be built: \(error)"
    } catch {
      context.logger.error(
        "An app could not be started for its schema.", metadata: ["app": "\(app.name)", "error": "\(error)"])
      return "The app could not be started without params."
    }
  }
}

extension Response {
  /// What may be another answer the next time.
  fileprivate static func described(_ json: JSONWriter) -> Response {
    Response(
      status: .ok, headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"], body: json.bytes)
  }
}
