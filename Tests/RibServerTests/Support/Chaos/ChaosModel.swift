import RibClient
import Wire

/// What a client of the ledger has sent, and what is to become of it.
struct ChaosModel {
  /// What is to become of an action.
  private enum Expectation {
    case applied(counts: Bool)
    case refused(Nack.Code)
  }

  /// What a client does.
  struct Step {
    let to: NodeAddress
    /// Nil for the back button.
    let action: JSONValue?
  }

  /// Whether nobody else acts on the session: what becomes of a page, or of a payment, is known only then.
  let isAlone: Bool
  private var open: [Int: Expectation] = [:]
  private(set) var sent = 0
  /// Actions that were reported as applied, and of them those that count.
  private(set) var applied = 0
  private(set) var counted = 0
  private(set) var refused = 0
  private(set) var payments = 0
  private var isPageOpen = false
  /// The action that has opened the page, after which the view shows which node it is.
  private var opening = 0
  private var pageID: Int?
  private var closedPages: [Int] = []
  private var taps = 0
  /// What is to become of the step that was made last.
  private var next = Expectation.applied(counts: true)

  /// How many actions that count have no answer.
  var openCount: Int {
    open.values.count { if case .applied(counts: true) = $0 { true } else { false } }
  }

  init(isAlone: Bool = true) { self.isAlone = isAlone }

  // MARK: Sending

  /// Something to do.
  mutating func step(_ random: inout SeededGenerator) -> Step {
    let dice = Int.random(in: 0..<1000, using: &random)
    switch isAlone || dice >= 880 ? dice : 0 {
    case 0..<420: return root("count", .applied(counts: true))
    case 420..<500:
      payments += 1
      next = .applied(counts: true)
      return Step(to: .path(""), action: .object(["pay": .integer(Int64(payments))]))
    case 500..<640:
      if isPageOpen { return close(&random) }
      isPageOpen = true
      opening = sent + 1
      pageID = nil
      taps = 0
      return root("openPage", .applied(counts: true))
    case 640..<880:
      if isPageOpen { taps += 1 }
      next = isPageOpen ? .applied(counts: true) : .refused(.gone)
      return Step(to: pageID.map { .id($0) } ?? .path("page"), action: .string("tap"))
    case 880..<940:
      next = .refused(.gone)
      // Ids are not used again, whatever has been forgotten meanwhile.
      return Step(to: .id(closedPages.randomElement(using: &random) ?? 1_000_000), action: .string("tap"))
    case 940..<997: return root("takeBack", .refused(.badAction))
    default: return root("runAway", .refused(.failed))
    }
  }

  private mutating func close(_ random: inout SeededGenerator) -> Step {
    isPageOpen = false
    if let pageID { closedPages = closedPages.suffix(20) + [pageID] }
    defer { pageID = nil }
    guard random.happens(0.3) else { return root("closePage", .applied(counts: true)) }
    next = .applied(counts: false)
    return Step(to: pageID.map { .id($0) } ?? .path("page"), action: nil)
  }

  private mutating func root(_ action: String, _ expectation: Expectation) -> Step {
    next = expectation
    return Step(to: .path(""), action: .string(action))
  }

  /// Notes that the step was sent.
  mutating func didSend(_ number: Int) {
    sent += 1
    open[number] = next
  }

  // MARK: Hearing

  /// Notes that an action was reported as applied.
  ///
  /// - Returns: what is wrong with that.
  mutating func didApply(_ number: Int) -> String? {
    switch open.removeValue(forKey: number) {
    case .applied(let counts)?:
      applied += 1
      if counts { counted += 1 }
      return nil
    case .refused(let code)?: return "Action \(number) was applied, and should have been refused: \(code)."
    case nil: return "Action \(number) was reported twice."
    }
  }

  /// What is wrong with the answer of the HTTP twin to some actions: all that were not refused were applied.
  mutating func didAnswer(_ numbers: ClosedRange<Int>, _ nacks: [Nack]) -> String? {
    for number in numbers {
      let nack = nacks.first { $0.number == number }
      if let wrong = nack.map({ didRefuse($0) }) ?? didApply(number) { return wrong }
    }
    return nacks.allSatisfy { numbers.contains($0.number) } ? nil : "\(nacks) are not of actions \(numbers)."
  }

  /// Notes that an action was reported as refused.
  ///
  /// - Returns: what is wrong with that.
  mutating func didRefuse(_ nack: Nack) -> String? {
    refused += 1
    switch open.removeValue(forKey: nack.number) {
    case .refused(nack.code)? where !nack.message.isEmpty: return nil
    // It takes as long as thousands of others: now and then a node is killed twice while it runs, and it is not run a third time.
    case .refused(.failed)? where nack.code == .poisoned: return nil
    case .refused(let code)?: return "Action \(nack.number) should have been refused as \(code): \(nack)"
    case .applied?: return "Action \(nack.number) was refused, and should have been applied: \(nack)"
    case nil: return "Action \(nack.number) was reported twice: \(nack)"
    }
  }

  /// Learns from the view which node the page is.
  ///
  /// After a resumption the view follows what is covered patch by patch: before it has caught up it shows an older page.
  mutating func look(at view: LedgerView, covered: Int) {
    if isPageOpen, covered >= opening, view.count == counted { pageID = view.pageID }
  }

  /// What is wrong with the view once everything is answered.
  func deviation(of view: LedgerView) -> String? {
    if !open.isEmpty { return "Actions \(open.keys.sorted().prefix(10)) were never reported." }
    // The other one may go on, and is looked at in the end.
    guard isAlone else {
      return view.count < counted ? "The count is \(view.count), and \(counted) were applied." : nil
    }
    if view.count != counted { return "The count is \(view.count), and \(counted) actions that count were applied." }
    if view.lastPayment != payments {
      return "Payment \(view.lastPayment) is the last, and \(payments) were asked for."
    }
    let page = isPageOpen ? taps : nil
    if view.taps != page {
      return "The page has \(view.taps.map(String.init) ?? "no") taps instead of \(page.map(String.init) ?? "no")."
    }
    return nil
  }
}

/// What the ledger shows.
struct LedgerView {
  let count: Int
  let lastPayment: Int
  let paid: Int
  /// The page's node, and its taps; nil if there is none.
  let pageID: Int?
  let taps: Int?

  /// Nil if the view is another one's.
  init?(_ view: JSONValue?) {
    guard let nodes = view?["nodes"], let root = view?["root"]?.wholeNumber, let node = nodes["\(root)"],
      let state = node["state"], let count = state["count"]?.wholeNumber,
      let lastPayment = state["lastPayment"]?.wholeNumber, let paid = state["paid"]?.wholeNumber
    else { return nil }
    self.count = count
    self.lastPayment = lastPayment
    self.paid = paid
    guard case .array(let ids)? = node["children"]?["page"]?["ids"], let id = ids.first?.wholeNumber else {
      (pageID, taps) = (nil, nil)
      return
    }
    pageID = id
    taps = nodes["\(id)"]?["state"]?.wholeNumber ?? nodes["\(id)"]?["state"]?["taps"]?.wholeNumber
  }
}

extension JSONValue {
  /// The number; nil if it is another value.
  var wholeNumber: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
}
