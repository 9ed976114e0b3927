import Testing
import Wire

@testable import RibServer

@Suite struct PendingMessagesTests {
  private static let messages = [
    #"{"t":"act","n":1,"to":"a/b","act":{"text":{"_0":"]}\",é\n😀"}}}"#, "null", "true", "-1.50e2", #""a\"b""#, "[]",
    "[[1, 2], {}]", "{}", #"{ "a" : [ 1 , { "b" : "" } ] }"#,
  ]

  /// What is left is the same, whether it has waited not at all, from the beginning, later, or again and again.
  @Test(arguments: [[], [0], [4], [9], Array(0...9)]) func messages_comeInOrder(waits: [Int]) throws {
    var reader = JSONReader()
    let text = "[ " + Self.messages.joined(separator: " ,\n") + "\t]"
    var pending = PendingMessages(try reader.read(text).root)
    for (index, expected) in Self.messages.enumerated() {
      if waits.contains(index) { pending.wait() }
      #expect(try pending.next(&reader)?.source == expected)
    }
    if waits.contains(Self.messages.count) { pending.wait() }
    #expect(try pending.next(&reader)?.source == nil)
  }

  /// Others on the loop read with the same reader meanwhile.
  @Test func messagesThatWait_areTheirOwn() throws {
    var reader = JSONReader()
    var pending = PendingMessages(try reader.read(#"["first", "second"]"#).root)
    pending.wait()
    _ = try reader.read(#"["something", "else", "of another client"]"#)
    #expect(try pending.next(&reader)?.string == "first")
    _ = try reader.read("{}")
    #expect(try pending.next(&reader)?.string == "second")
  }

  @Test func messagesThatWait_giveUpTheirDocument() throws {
    var reader = JSONReader()
    weak var document: JSONDocument?
    var pending: PendingMessages
    do {
      let read = try reader.read(#"[{"t":"ping"}, {"t":"ping"}]"#)
      document = read
      pending = PendingMessages(read.root)
      // The reader lets go of a document that is in use.
      _ = try reader.read("1")
    }
    #expect(document != nil)
    pending.wait()
    #expect(document == nil)
    #expect(try pending.next(&reader)?.source == #"{"t":"ping"}"#)
  }
}
