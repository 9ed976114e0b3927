import RibCore

/// Shows something, and remembers nothing.
struct Sign: Riblet {
  static let typeName = "Sign"

  func makeState() {}
  func view(_ state: Void) -> String { "exit" }
}
