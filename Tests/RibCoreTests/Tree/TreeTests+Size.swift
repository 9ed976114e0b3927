import RibCore
import RibTesting
import Testing
import Wire

/// How large a view may become.
extension TreeTests {
  /// Says as much as it is told to.
  private struct Wide: Riblet {
    static let typeName = "Wide"
    enum ViewAction: Decodable { case grow(Int), set(Int) }
    struct ViewState: Encodable, Equatable { let text: String }

    func makeState() -> Int { 0 }

    func reduce(into size: inout Int, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .grow(let more): size += more
      case .set(let all): size = all
      }
      return .none
    }

    func view(_ size: Int) -> ViewState { ViewState(text: String(repeating: "x", count: size)) }
  }

  /// What the document has besides the text.
  private static let frame = #"{"root":1,"nodes":{"1":{"type":"Wide","state":{"text":""}}}}"#.utf8.count

  @Test func view_mayHave4MiB_andNoByteMore() throws {
    let session = try TestSession(Wide())
    try session.send(#"{"set":\#(Tree.viewLimit - Self.frame)}"#)
    let refusal = try session.refusal(of: #"{"grow":1}"#)
    #expect(refusal.code == .failed)
    #expect(refusal.message.contains("more than 4 MiB") && refusal.message.contains("Wide"))
    #expect(try session.send(#"{"set":1}"#) == [#"replace /nodes/1/state/text "x""#])
  }

  @Test func view_isMeasuredByItsSize_notByItsPatches() throws {
    let session = try TestSession(Wide())
    // 20 MiB of patches, of a view that never has more than 1.
    for size in 1...20 { try session.act(#"{"set":\#((1 << 20) - size)}"#) }
    #expect(throws: Refusal.self) { try session.act(#"{"set":\#(5 << 20)}"#) }
  }
}
