extension ChaosClient {
  /// What the client was told, for those who look at what is committed.
  struct Told {
    var sessionID: String?
    var clientID = 1
    var number = 0
    var count = 0
  }

  /// What has happened to the clients, all together.
  struct Figures {
    var connections = 0
    var resumes = 0
    var doubles = 0
    var checks = 0
    var drains = 0
    var takenBack = 0
    /// How often a server of another version could not read its session.
    var turnedAway = 0
    /// Sessions of others that were joined, and tokens for that which were used up on the way.
    var joins = 0
    var lostTokens = 0
  }
}
