import RibCore
import RibServer

extension ActingClient {
  /// Whether the operator behind the client may act, and not only look.
  var mayOperate: Bool { roles.contains(AdminTokens.Role.operate.rawValue) }
}

extension Identity {
  /// Whether the operator may act, and not only look.
  var mayOperate: Bool { roles.contains(AdminTokens.Role.operate.rawValue) }
}
