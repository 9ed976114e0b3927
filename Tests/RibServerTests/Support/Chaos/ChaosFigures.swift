/// What a run of the chaos has done, and how much of it there must be: one that cuts and kills nothing shows nothing.
struct ChaosFigures {
  /// One of the figures.
  struct Figure {
    let name: String
    let count: Int
    /// How many there are in a minute with 200 clients, about; nil where it is left to chance.
    var usual: Double?
    /// How many there are in any run of a minute or more, however many clients it has, on a machine that does nothing else.
    var least = 0
    /// Whether half the clients make half as many.
    var isOfClients = true
  }

  let figures: [Figure]
  let seconds: Int
  let clients: Int
  /// Whether it is judged how much there is in a minute; else only whether there is anything of what there is much of.
  var judgesRates = true
  /// Of what is to be there so often there is something, however little a machine does in the time.
  private static let plenty = 10

  /// What there is too little of: less than a tenth of what is usual, or none at all.
  ///
  /// A run of seconds may miss something by chance.
  var shortfalls: [String] {
    guard seconds >= 30 else { return [] }
    return figures.compactMap { figure in
      guard let usual = figure.usual else { return nil }
      let share = figure.isOfClients ? Double(clients) / 200 : 1
      let expected = Int(usual * Double(seconds) / 60 * share / 10)
      let floor = judgesRates ? max(expected, seconds >= 60 ? figure.least : 0) : expected >= Self.plenty ? 1 : 0
      return figure.count < floor ? "\(figure.count) \(figure.name), and at least \(floor) were to be." : nil
    }
  }

  var text: String { figures.map { "\($0.count) \($0.name)" }.joined(separator: ", ") }
}
