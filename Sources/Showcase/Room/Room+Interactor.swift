import RibCore

extension Room {
  /// What follows from a change, whichever action has made the change.
  var reducers: [Reducer<Self>] {
    [
      .onChange(of: \.messages.count) { _, count, state in
        guard count > Self.window else { return .none }
        state.messages.removeFirst(count - Self.window)
        state.hasOlder = true
        return .none
      },
      .onChange(of: \.draft) { _, draft, state in
        state.problem = Self.isTooLong(draft) ? Self.tooLong : nil
        return .none
      },
      // Another try that fails, with the same key, is no change: the timer goes on.
      .onChange(of: \.outgoing?.failed) { _, failed, _ in failed == nil ? .cancel(id: "retry") : keepTrying() },
    ]
  }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    state.outgoing?.isTriedAgain = false
    return .merge(
      .track(RoomHub.Guest(name: me), in: hub.guests, while: session.clients, id: "me"),
      .observe(hub.guests, id: "guests") { .presentChanged($0.map(\.name)) },
      // Before the page is read: what is posted meanwhile is in the page, or comes as an event, or both.
      .observe(hub.events, id: "events", missed: { .eventsMissed }) { .happened($0) },
      state.outgoing?.failed == nil ? .none : keepTrying(),
      load(.newest(known: state.messages.last?.id ?? 0), &state))
  }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    guard let outgoing = state.outgoing, outgoing.failed == nil,
      let post = interrupted.first(where: { $0.id == "post" })
    else { return .none }
    return self.post(outgoing.text, key: post.key)
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .draftChanged(let text):
      state.draft = text
    case .sendTapped:
      guard state.draft.contains(where: { !$0.isWhitespace }) else { return .refuse("There is nothing to send.") }
      guard !Self.isTooLong(state.draft) else { return .refuse(Self.tooLong) }
      let waiting = state.waiting ?? []
      guard waiting.count < Self.mostWaiting else {
        return .refuse("\(Self.mostWaiting) messages wait already. Try again when one is posted.")
      }
      let text = state.draft
      state.draft = ""
      guard state.outgoing == nil else {
        state.waiting = waiting + [text]
        return .none
      }
      return send(text, &state)
    case .retryTapped:
      guard let outgoing = state.outgoing, let key = outgoing.failed else { return .refuse("Nothing has failed.") }
      state.outgoing = Outgoing(text: outgoing.text)
      return post(outgoing.text, key: key)
    case .olderTapped:
      if state.loading == nil, state.hasOlder, state.messages.count < Self.window { return load(.older, &state) }
    case .removeTapped(let id):
      guard state.messages[id: id]?.author == me else { return .refuse("Only your own messages can be removed.") }
      return remove(id)
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .presentChanged(let present): state.present = present
    case .eventsMissed: return load(.newest(known: state.messages.last?.id ?? 0), &state)
    case .happened(.posted(let message)): state.add([message])
    case .happened(.removed(let id)):
      state.messages.remove(id: id)
      // What is being loaded may have been read before.
      if let loading = state.loading { return load(loading, &state) }
    case .loaded(let page): state.take(page)
    case .loadFailed: return loadFailed(&state)
    case .newestWanted: if let loading = state.loading { return load(loading, &state) }
    case .posted(let message):
      state.outgoing = nil
      state.add([message])
      guard let next = state.waiting?.first else { return .none }
      state.waiting?.removeFirst()
      return send(next, &state)
    case .postFailed(let key):
      state.outgoing?.failed = key
      state.outgoing?.isTriedAgain = false
    case .retryWanted:
      // A store may take longer than the timer: its answer is waited for.
      guard let outgoing = state.outgoing, let key = outgoing.failed, !outgoing.isTriedAgain else { return .none }
      state.outgoing?.isTriedAgain = true
      return post(outgoing.text, key: key)
    case .removeFailed: state.problem = "The message cannot be removed."
    }
    return .none
  }

  fileprivate static let notLoaded = "The messages cannot be loaded."
  private static func isTooLong(_ draft: String) -> Bool {
    draft.utf8.count > messageSize || draft.count > longestMessage
  }
  private static var tooLong: String { "A message has at most \(longestMessage) characters." }
}

extension Room.State {
  /// Adds messages that may be there already, each at its place.
  fileprivate mutating func add(_ new: [Message]) {
    for message in new { messages.upsert(message) }
    messages.sort { $0.id < $1.id }
  }

  /// Takes over the messages that were loaded.
  fileprivate mutating func take(_ page: [Message]) {
    // The newest take the place of those known before: during a rest, others may have come behind them, or some of them
    // may have been removed.
    if case .newest(let known) = loading {
      let last = max(known, page.last?.id ?? 0)
      messages.removeAll { $0.id <= last }
    }
    hasOlder = page.count >= Room.page
    loading = nil
    if problem == Room.notLoaded { problem = nil }
    add(page)
  }
}

extension Room {
  private func load(_ loading: Loading, _ state: inout State) -> Effect<Self> {
    state.loading = loading
    let before = loading == .older ? state.messages.first?.id : nil
    let count = loading == .older ? Self.page : max(Self.page, state.messages.count)
    return .run(id: "load", cancelInFlight: true, resumable: true) { [hub] send in
      await send(.loaded(try await hub.messages.page(before, count)))
    } catch: { _, send in
      await send(.loadFailed)
    }
  }

  /// Without the newest messages there is no room: they are asked for again after a while, older ones if somebody asks.
  private func loadFailed(_ state: inout State) -> Effect<Self> {
    state.problem = Self.notLoaded
    if case .newest = state.loading {
      return .after(.seconds(5), id: "again", clock: clock, resumable: true, .newestWanted)
    }
    state.loading = nil
    return .none
  }

  private func send(_ text: String, _ state: inout State) -> Effect<Self> {
    state.outgoing = Outgoing(text: text)
    return post(text)
  }

  /// Posts a message, or repeats an attempt of which nobody knows whether it succeeded: the key tells the store.
  private func post(_ text: String, key: IdempotencyKey? = nil) -> Effect<Self> {
    .run(id: "post", cancelInFlight: true, key: key) { [hub, me, session] send in
      let message = try await hub.messages.post(text, me, session.id, send.idempotencyKey.description)
      send.publish(.posted(message), to: hub.events)
      await send(.posted(message))
    } catch: { _, send in
      await send(.postFailed(send.idempotencyKey))
    }
  }

  /// Posts a message that has failed again and again, until the store has the message: the key makes it one.
  private func keepTrying() -> Effect<Self> {
    .timer(every: .seconds(10), id: "retry", clock: clock, .retryWanted)
  }

  private func remove(_ id: Int) -> Effect<Self> {
    .run { [hub, me] send in
      try await hub.messages.remove(id, me)
      send.publish(.removed(id: id), to: hub.events)
    } catch: { _, send in
      await send(.removeFailed)
    }
  }
}
