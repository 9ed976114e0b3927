import Foundation
import RibCore
import RibTestSupport
import Testing
import Wire

@testable import RibSchema
@testable import Showcase

/// The schema of an action allows what the server takes, and nothing else.
@Suite struct JSONSchemaActionsTests {
  private struct Filter: Codable { var text: String?, limit: UInt8? }
  private struct Nothing: Codable {}
  private enum Tab: String, Codable { case home, finance }
  private indirect enum Screen: Codable {
    case empty
    case tab(Tab)
    case pages([Int], title: String?)
  }
  private enum Action: Decodable {
    case reset
    case select(Int)
    case rename(String?)
    case note(text: String?)
    case move(from: Int, to: Int)
    case pair(Int, Int)
    case twins(Int?, Int?)
    case mixed(Int, label: String)
    case labelled(Int, label: String?)
    case late(Int?, label: String)
    case two(String?, flag: Bool?)
    case filter(Filter)
    case maybe(Filter?)
    case nothing(Nothing)
    case tags([String?])
    case counts([String: Int])
    case tab(Tab)
    case tabs([Tab], best: Tab?)
    case screen(Screen)
    case screens([Screen?])
    case at(Date?, URL, UUID)
    case data(Data)
    case price(Decimal)
    case secret(Secret<String>)
    case secrets(old: Secret<Tab>?, new: Secret<Tab>)
    case ratio(Double)
    case flag(Bool)
    case byte(UInt8), wide(UInt64)
  }
  private struct Envelope: Codable { let screen: Screen }

  /// An action's type, and how it decodes.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schema: @Sendable () throws -> JSONValue
    let isTaken: @Sendable (JSONValue) -> Bool

    init<Action: Decodable & SendableMetatype>(_ type: Action.Type) {
      testDescription = String(reflecting: type)
      schema = {
        var json = JSONWriter()
        JSONSchema(decoding: type).writeAction(into: &json)
        return try JSONValue(parsing: String(decoding: json.bytes, as: UTF8.self))
      }
      isTaken = { action in
        var reader = JSONReader()
        guard let element = try? reader.read(action.text).root else { return false }
        return (try? ActionDecoder.decode(type, from: element)) != nil
      }
    }
  }

  static let rows: [Row] = [
    Row(Action.self), Row(Tab.self), Row(Envelope.self), Row([String: Screen].self), Row(Nothing.self),
    // The apps of the showcase.
    Row(Counter.ViewAction.self), Row(CounterAction.self), Row(Root.ViewAction.self), Row(Home.ViewAction.self),
    Row(Detail.ViewAction.self), Row(AppRoot.ViewAction.self), Row(AppHome.ViewAction.self),
    Row(TransportHome.ViewAction.self), Row(NavigationContainer<AppHomePage>.ViewAction.self),
    Row(Search.ViewAction.self),
    Row(SearchDetail.ViewAction.self), Row(ProfileNavigationEvent.self), Row(LoginRoot.ViewAction.self),
    Row(Login.ViewAction.self), Row(BoundariesParent.ViewAction.self), Row(BoundariesChild.ViewAction.self),
    Row(Screen1.ViewAction.self), Row(Screen2.ViewAction.self), Row(NavigationSubRoute1.ViewAction.self),
    Row(NavigationSubRoute2.ViewAction.self), Row(Catalog.ViewAction.self), Row(Ledger.ViewAction.self),
    Row(LedgerPage.ViewAction.self), Row(Room.ViewAction.self), Row(People.ViewAction.self),
    Row(Members.ViewAction.self),
  ]

  @Test("every action that the schema allows is taken", arguments: rows, TestRun.seeds(7))
  func allowedAction_isTaken(row: Row, seed: UInt64) throws {
    let schema = try row.schema()
    var generator = SeededGenerator(state: seed)
    var count = 0
    for _ in 0..<TestRun.volume(200, nightly: 2000) {
      let action = SchemaSample.value(of: schema, using: &generator)
      guard SchemaSample.allows(schema, action) else { continue }
      count += 1
      #expect(row.isTaken(action), "\(action)")
    }
    #expect(count > 50)
  }

  @Test("any other form is allowed if it is taken, and only then", arguments: rows, TestRun.seeds(7))
  func neighbour_isAllowedIfItIsTaken(row: Row, seed: UInt64) throws {
    let schema = try row.schema()
    var generator = SeededGenerator(state: seed)
    for _ in 0..<TestRun.volume(500, nightly: 5000) {
      var action = SchemaSample.value(of: schema, using: &generator)
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        action = SchemaSample.neighbour(of: action, using: &generator)
      }
      #expect(SchemaSample.allows(schema, action) == row.isTaken(action), "\(action)")
    }
  }

  /// Forms of actions that are rare among random ones.
  static let forms = [
    #""reset""#, #"{"reset":{}}"#, #"{"reset":{"x":1}}"#, #"{"reset":1}"#, #"{"reset":null}"#, #"{"reset":{},"x":1}"#,
    "{}", "null", "1", "[]", #""select""#, #"{"select":1}"#, #"{"select":1.0}"#, #"{"select":1.5}"#, #"{"select":"1"}"#,
    #"{"select":{"_0":1}}"#, #"{"select":{"_0":1,"x":2}}"#, #"{"select":{}}"#, #"{"select":null}"#,
    #"{"select":{"_0":null}}"#, #""rename""#, #"{"rename":"a"}"#, #"{"rename":null}"#, #"{"rename":{}}"#,
    #"{"rename":{"_0":null}}"#, #"{"rename":{"x":1}}"#, #"{"note":{"text":null}}"#, #"{"note":"a"}"#,
    #"{"move":{"from":1,"to":2}}"#, #"{"move":{"from":1}}"#, #"{"move":[1,2]}"#, #"{"pair":{"_0":1,"_1":2}}"#,
    #"{"pair":1}"#,
    #""twins""#, #"{"twins":{"x":1}}"#, #"{"twins":1}"#, #"{"mixed":1}"#, #"{"mixed":{"_0":1,"label":"a"}}"#,
    #"{"labelled":1}"#, #"{"labelled":{"label":"a"}}"#, #"{"late":{"label":"a"}}"#, #"{"late":1}"#,
    #""two""#, #"{"two":"a"}"#, #"{"two":{"flag":true}}"#, #"{"two":{}}"#, #"{"two":{"x":1}}"#, #"{"filter":{}}"#,
    #"{"filter":{"text":"a"}}"#, #"{"filter":{"_0":{}}}"#, #"{"filter":{"limit":256}}"#, #"{"filter":"text"}"#,
    #"{"maybe":{"limit":1}}"#, #"{"maybe":{"_0":{"limit":null}}}"#, #"{"nothing":1}"#, #"{"counts":{"_0":1}}"#,
    #"{"counts":{"_0":{"a":1}}}"#, #"{"tab":{"home":{}}}"#, #"{"tab":{"home":{"x":1}}}"#, #"{"tab":"x"}"#,
    #"{"screen":"empty"}"#, #"{"screen":{"tab":"home","x":1}}"#, #"{"screen":{"tab":"home","empty":1}}"#,
    #"{"screen":{"_0":{"pages":[1]}}}"#, #"{"secret":null}"#, #"{"price":1.5}"#, #"{"price":"--1"}"#, #"{"price":"."}"#,
    #"{"at":{"_1":"","_2":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}}"#, #"{"byte":255}"#, #"{"byte":256}"#,
    #"{"wide":18446744073709551615}"#, #"{"wide":18446744073709551616}"#, #"{"unknown":{}}"#, #""unknown""#,
    #""increment""#, #"{"increment":{}}"#, #"{"increment":{},"reset":{}}"#,
  ]

  @Test("a form is allowed if it is taken, and only then", arguments: rows)
  func form_isAllowedIfItIsTaken(row: Row) throws {
    let schema = try row.schema()
    for form in Self.forms {
      let action = try JSONValue(parsing: form)
      #expect(SchemaSample.allows(schema, action) == row.isTaken(action), "\(form)")
    }
  }

  private struct Percent: Decodable {
    let value: Int
    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Int.self)
      guard 1...100 ~= value else { throw CancellationError() }
    }
  }
  private enum Volume: Decodable { case set(Percent) }

  @Test func valueWithoutAnExample_hasItsShortForm() throws {
    let schema = try Row(Volume.self).schema()
    for action in [#"{"set":50}"#, #"{"set":{"_0":50}}"#] {
      #expect(SchemaSample.allows(schema, try JSONValue(parsing: action)), "\(action)")
    }
    #expect(!SchemaSample.allows(schema, try JSONValue(parsing: #"{"set":"50"}"#)))
  }
}
