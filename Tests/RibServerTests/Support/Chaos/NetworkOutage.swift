/// A time in which nothing passes a ``FaultyProxy``, or nothing from one of those who use it.
struct NetworkOutage {
  let milliseconds: Int
  /// Whether both ends are told at once; else there is only silence.
  let isTold: Bool
  /// Whether what was said into the silence arrives after all, as late as it is; else the links are cut then.
  let goesOn: Bool
  /// What is in the first bytes of the links that are concerned; nil for all links.
  var mark: String?
  /// Whether nobody listens meanwhile: whoever connects is refused, as by a machine on which no server runs.
  var isRefusal = false

  /// An outage as the seed says.
  ///
  /// - Parameters:
  ///   - milliseconds: how long it lasts.
  ///   - random: says the rest.
  init(for milliseconds: Int, _ random: inout SeededGenerator) {
    self.milliseconds = milliseconds
    isTold = random.happens(0.3)
    goesOn = random.happens(0.5)
  }

  /// An outage of which all is known.
  ///
  /// - Parameters:
  ///   - milliseconds: how long it lasts.
  ///   - isTold: whether both ends are told at once.
  ///   - goesOn: whether what was said arrives after all.
  init(for milliseconds: Int, isTold: Bool, goesOn: Bool) {
    (self.milliseconds, self.isTold, self.goesOn) = (milliseconds, isTold, goesOn)
  }

  /// A time in which nobody listens; the links that were there are cut.
  ///
  /// - Parameter milliseconds: how long it lasts.
  /// - Returns: the outage.
  static func refusal(for milliseconds: Int) -> NetworkOutage {
    var outage = NetworkOutage(for: milliseconds, isTold: true, goesOn: false)
    outage.isRefusal = true
    return outage
  }

  /// The end of all outages.
  static let none = NetworkOutage(for: 0, isTold: false, goesOn: true)

  /// The same of the links of one client.
  ///
  /// - Parameter mark: what is in their first bytes.
  /// - Returns: the outage.
  func of(_ mark: String) -> NetworkOutage {
    var outage = self
    outage.mark = mark
    return outage
  }

  /// Whether a link is concerned.
  ///
  /// - Parameter head: its first bytes; empty if none have come.
  /// - Returns: true for all links if there is no mark.
  func concerns(_ head: String) -> Bool { mark.map { head.contains($0) } ?? true }
}
