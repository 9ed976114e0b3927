import Foundation
import RibCore

/// A riblet that draws, asks, and has children.
struct Casino: Riblet {
  static let typeName = "Casino"
  struct State: Codable {
    var pips = 0
    var ticket: UUID?
    var bought: Date?
    var answers: [String] = []
    var isVIP = false
    var table = Slot<Int>()
  }
  enum ViewAction: Decodable { case rollTapped, ticketTapped, asked(String), doorTapped, brooded, sequenceTapped }
  enum InternalAction: Codable { case answered(String), settled, table(CasinoTable.Output) }
  struct ViewState: Encodable, Equatable {
    let pips: Int
    let ticket: UUID?
    let bought: Date?
    let answers: [String]
    let isVIP: Bool
  }

  var dependencies = Dependencies.live
  /// A table in memory that is another every day.
  var isVIP: @Sendable () -> Bool = { Bool.random() }
  /// Whether there are no tickets any more: another app.
  var isSoldOut = false
  /// Whether nobody answers any more.
  var isMute = false

  func makeState() -> State { State(pips: dependencies.random(in: 1...6)) }

  var routes: [Route<Self>] {
    [Route("table", \.table) { _ in Child(CasinoTable(dependencies: dependencies)) { .table($0) } }]
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .rollTapped:
      state.pips = dependencies.random(in: 1...6)
      state.isVIP = Dependencies.draw("vip") { isVIP() }
    case .ticketTapped where isSoldOut: state.answers.append("sold out")
    case .ticketTapped:
      state.ticket = dependencies.uuid()
      state.bought = dependencies.date()
    case .asked where isMute: break
    case .asked(let question):
      return .run(id: "ask") { [dependencies] send in
        // What an effect draws comes with what it sends.
        await send(.answered("\(question) \(dependencies.random(in: 0...1_000_000))"))
      }
    case .doorTapped: state.table.attach(1)
    case .brooded: return .run(id: "brood") { _ in }
    case .sequenceTapped: return .concatenate(.run(id: "wait") { _ in }, .send(.settled))
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .answered(let answer): state.answers.append(answer)
    case .settled: state.answers.append("settled")
    case .table(.left(let tip)):
      state.answers.append("tip \(tip)")
      state.table.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(
      pips: state.pips, ticket: state.ticket, bought: state.bought, answers: state.answers, isVIP: state.isVIP)
  }
}

/// A child whose state is drawn, and whose effect speaks to the parent.
struct CasinoTable: Riblet {
  static let typeName = "CasinoTable"
  enum ViewAction: Decodable { case leaveTapped }
  enum Output: Codable { case left(Int) }

  let dependencies: Dependencies

  func makeState() -> Int { dependencies.random(in: 1...1_000_000) }

  func reduce(into seat: inout Int, viewAction: ViewAction) -> Effect<Self> {
    .run(id: "leave") { [seat] send in await send.output(.left(seat)) }
  }

  func view(_ seat: Int) -> Int { seat }
}

/// A riblet whose effects send what no recording can have.
struct Secretive: Riblet {
  static let typeName = "Secretive"
  enum ViewAction: Decodable { case asked }
  enum InternalAction { case answered(Int) }

  func makeState() -> Int { 0 }
  func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .run { await $0(.answered(7)) } }
  func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .answered(let answer): state = answer
    }
    return .none
  }
  func view(_ state: Int) -> Int { state }
}
