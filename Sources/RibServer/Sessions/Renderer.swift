/// A client of a session: what it has said, and where it is.
struct Renderer {
  /// What it has said.
  var ledger: ClientLedger
  /// Where it is; nil if it is away.
  var connection: Connection?
  /// The refusals that it has heard of since the last cut: the highest number.
  var acknowledged: Int?
}
