/// What a client may do in a session that was shared with it.
public enum ShareScope: String, CaseIterable, Sendable {
  /// See the view.
  case view
  /// See the view and act.
  case act

  /// Reads the scope of a `share`.
  init(_ json: JSONElement) throws(MessageError) {
    guard let scope = json[MessageKey.scope]?.name.flatMap(ShareScope.init(rawValue:)) else {
      throw .missing(MessageKey.scope, "\"view\" or \"act\"", in: MessageKind.share)
    }
    self = scope
  }
}
