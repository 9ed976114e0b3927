import RibCore

/// A chat room: what is said in it, who is there, and what this person is about to say.
struct Room: Riblet {
  static let typeName = "Room"
  /// How many messages are shown at most: the newest.
  static let window = 200
  /// How many messages are loaded at a time.
  static let page = 50
  /// How long a message may be, in characters.
  static let longestMessage = 500
  /// Bytes of a message: a character may have any number of them.
  static let messageSize = 8 << 10
  /// How many messages may wait until those before them are posted.
  static let mostWaiting = 20

  struct State: Codable, Equatable {
    var messages: IdentifiedArray<Message> = []
    var hasOlder = true
    @Transient var loading: Loading?
    /// Kept: a session that is restored shows who was there until it is told who is.
    var present: [String] = []
    var draft = ""
    var problem: String?
    var outgoing: Outgoing?
    /// The messages that wait for the outgoing one, in order.
    ///
    /// Optional, as sessions that an earlier version has stored have no such list.
    var waiting: [String]?
    var people = People.State()
  }

  /// Which messages are being loaded.
  enum Loading: Equatable {
    /// The newest; `known` is the last message that was there when the riblet became active.
    case newest(known: Int)
    /// Those before the first that is there.
    case older
  }

  /// A message that is not posted yet.
  struct Outgoing: Codable, Equatable {
    let text: String
    /// The key of the attempts that have failed; nil while an attempt is under way that the user has begun.
    var failed: IdempotencyKey?
    /// Whether another attempt is under way, which the timer has begun.
    @Transient var isTriedAgain = false
  }

  enum ViewAction: Codable {
    case draftChanged(String)
    case sendTapped, retryTapped, olderTapped
    case removeTapped(id: Int)
  }

  enum InternalAction: Equatable {
    case presentChanged([String])
    case eventsMissed
    case happened(RoomEvent)
    case loaded([Message])
    case loadFailed
    case newestWanted
    case posted(Message)
    case postFailed(IdempotencyKey)
    case retryWanted
    case removeFailed
  }

  struct ViewState: Codable, Equatable {
    /// What has become of the message that was sent last.
    enum Sending: String, Codable { case inFlight, failed }

    let messages: IdentifiedArray<Message>
    let hasOlder: Bool
    let isLoading: Bool
    let draft: String
    let problem: String?
    let outgoing: String?
    let sending: Sending?
    /// The messages that wait until the outgoing one is posted, in order.
    let waiting: [String]
    let me: String
  }

  let me: String
  let session: SessionContext
  let hub: RoomHub
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  var routes: [Route<Self>] {
    [
      Route("people", \.people) { [me] in
        Child(
          People(),
          // By their bytes: to sort texts as texts takes long if they are made for that.
          props: { state in
            People.Props(me: me, present: state.present.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
          })
      }
    ]
  }

  func view(_ state: State) -> ViewState {
    ViewState(
      messages: state.messages, hasOlder: state.hasOlder && state.messages.count < Self.window,
      isLoading: state.loading != nil, draft: state.draft, problem: state.problem, outgoing: state.outgoing?.text,
      sending: state.outgoing.map { $0.failed == nil ? .inFlight : .failed }, waiting: state.waiting ?? [], me: me)
  }
}
