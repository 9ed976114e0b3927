/// A `welcome` that waits for its commit: until then it can still be said otherwise.
struct Greeting {
  /// What the client proves itself with.
  let token: String
  /// Whether the client was here before.
  let isResumed: Bool
  /// How many bytes were ever written to the connection, the `welcome` among them.
  var end: Int
}
