import RibCore
public import RibServer

extension App {
  /// The inspector of a server, for the apps of an ``/RibServer/AdminServer``.
  ///
  ///     let admin = try AdminServer(of: server, apps: [.inspector(of: server)])
  ///
  /// Operators look with a token of any role; to act they need one with the role `operate`. A terminal is enough for both:
  /// `ribctl connect http://127.0.0.1:9464 --app inspector`.
  ///
  /// - Parameters:
  ///   - server: the server that is shown.
  ///   - hooks: what the program around the server adds; nothing unless given.
  /// - Returns: the app, by the name `inspector`.
  public static func inspector(of server: Server, _ hooks: InspectorHooks = InspectorHooks()) -> App {
    inspector(of: server, hooks, clock: ContinuousClock())
  }

  /// The inspector of a server, by a clock that measures the second between two looks.
  package static func inspector(of server: Server, _ hooks: InspectorHooks, clock: any Clock<Duration>) -> App {
    let service = InspectorService(of: server, hooks)
    return App("inspector") { (context: SessionContext) in
      Inspector(context: context, service: service, clock: clock)
    }
  }
}
