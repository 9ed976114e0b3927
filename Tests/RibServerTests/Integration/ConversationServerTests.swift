import Testing

/// The conversations that the clients replay are what the server says: each is played again with a daemon.
///
/// With `RIB_RECORD=1` what the server says now is written into the files (`scripts/record-conversations`).
@Suite(.timeLimit(.minutes(5))) struct ConversationServerTests {
  /// Those with messages that no server sends, as the note of each says.
  private static let madeUp = [
    "arrays", "broken-n-back", "broken-n-beyond", "broken-patch-before-welcome", "broken-second-welcome", "moves",
    "nack-covers", "nacks-omitted", "notice", "other-hash", "patch-half-fits", "polite-cut", "unknown-code",
    "unknown-kind",
  ]

  /// All others.
  private static let played = ConversationFile.names.filter { !madeUp.contains($0) }

  @Test func conversationsThatAreMadeUp_areTheseAlone() throws {
    let found = try ConversationFile.names.filter { try ConversationFile($0).isMadeUp }
    #expect(found == Self.madeUp)
    #expect(Self.played.count >= 27)
  }

  @Test(arguments: played)
  func server_saysWhatItSaidThen(_ name: String) async throws {
    try await blocking {
      var player = try ConversationPlayer(ConversationFile(name))
      try player.play()
    }
  }
}
