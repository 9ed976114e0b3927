import Wire

/// What a client was told of its actions, and has seen of its session.
struct Witness {
  /// What a client was told of an action.
  private struct Answer {
    let isRefused: Bool
    /// Whether the server had said that it survives a power cut.
    var isDurable: Bool
  }

  private let client: Int
  /// What it was told, by the actions' names.
  private var answers: [Int: Answer] = [:]
  /// What its view showed as done, while that survived a power cut.
  private var done: [Int] = []
  /// Whether what it is told survives a power cut.
  private(set) var isDurable = true
  /// Whether it was told that it does not, and not since then what there is on disk: much may be gone.
  private(set) var wasWarned = false

  /// Of a client that was told nothing.
  init(_ client: Int) { self.client = client }

  /// Takes note of an answer.
  ///
  /// - Parameters:
  ///   - name: the action's.
  ///   - isRefused: whether it was refused.
  /// - Throws: ``Finding`` if it was answered before.
  mutating func answer(_ name: Int, isRefused: Bool) throws(Finding) {
    guard answers[name] == nil else { throw Finding(.otherAnswer, "client \(client): \(name) is answered again") }
    answers[name] = Answer(isRefused: isRefused, isDurable: isDurable)
  }

  /// Takes note of what answers survive from here on.
  mutating func note(_ durability: Welcome.Durability) {
    isDurable = durability == .disk
    wasWarned = wasWarned || !isDurable
  }

  /// All that was done is committed.
  mutating func allIsCommitted() {
    for name in answers.keys { answers[name]?.isDurable = true }
    wasWarned = false
  }

  /// What was not to survive has not.
  mutating func forgetWhatWasNotToSurvive() { answers = answers.filter(\.value.isDurable) }

  /// It was told what there is on disk: of what was not to survive nothing is known.
  mutating func beginAnew() {
    forgetWhatWasNotToSurvive()
    if wasWarned { done = [] }
    wasWarned = false
  }

  /// Takes note of a view.
  ///
  /// - Parameter shown: the actions that it shows as done.
  /// - Returns: those of them that it did not show before.
  /// - Throws: ``Finding`` if what was once shown to survive is not there.
  mutating func see(_ shown: [Int]) throws(Finding) -> ArraySlice<Int> {
    let isLonger = shown.starts(with: done)
    guard isLonger || wasWarned else {
      throw Finding(.takenBack, "client \(client) has seen \(done), there is \(shown)")
    }
    defer { done = shown }
    return isLonger ? shown[done.count...] : shown[...]
  }

  /// Compares what the client was told with a view that has all of it.
  ///
  /// - Parameter shown: the actions that it shows as done.
  /// - Throws: ``Finding`` if something is not there, or is twice.
  func compare(with shown: [Int]) throws(Finding) {
    var counts: [Int: Int] = [:]
    for name in shown { counts[name, default: 0] += 1 }
    if let (name, _) = counts.first(where: { $0.value > 1 }) { throw Finding(.doubled, "\(name) in \(shown)") }
    for (name, answer) in answers where answer.isDurable {
      let isDone = counts[name] != nil
      if answer.isRefused, isDone { throw Finding(.refusedAndDone, "\(name) in \(shown)") }
      if !answer.isRefused, !isDone { throw Finding(.lost, "\(name) of client \(client) in \(shown)") }
    }
  }
}

/// What a view of the journal shows.
struct JournalView {
  /// The actions that are done.
  let done: [Int]
  let news: Int
  let unbooked: Int
  /// What the page counts; nil if there is none.
  let page: Int?

  /// Reads a view; nil if it is another one's.
  init?(_ view: JSONValue?) {
    guard let state = view?["nodes"]?["1"]?["state"], case .array(let names)? = state["done"],
      case .integer(let news)? = state["news"], case .integer(let unbooked)? = state["unbooked"]
    else { return nil }
    done = names.map { if case .integer(let name) = $0 { Int(name) } else { 0 } }
    (self.news, self.unbooked) = (Int(news), Int(unbooked))
    guard case .array(let ids)? = view?["nodes"]?["1"]?["children"]?["page"]?["ids"],
      case .integer(let id)? = ids.first, case .integer(let count)? = view?["nodes"]?["\(id)"]?["state"]?["count"]
    else {
      page = nil
      return
    }
    page = Int(count)
  }
}
