import Testing

@testable import Showcase

struct BoardTests {
  @Test func board_keepsTheNewestNotices() {
    var board = Board()
    for number in 1...Board.size + 2 { board.post("Notice \(number)", by: "ada") }
    #expect(board.notices.count == Board.size)
    #expect(board.notices.first == Notice(id: 3, author: "ada", text: "Notice 3"))
    #expect(board.notices.last?.text == "Notice \(Board.size + 2)")
  }

  @Test func noticeThatIsErased_isGone_andItsNumberIsNotUsedAgain() {
    var board = Board()
    board.post("One", by: "ada")
    board.post("Two", by: "bob")
    board.erase(id: 2)
    board.erase(id: 7)
    board.post("Three", by: "ada")
    #expect(board.notices.map(\.id) == [1, 3])
  }
}
