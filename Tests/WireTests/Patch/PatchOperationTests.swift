import Testing

@testable import Wire

@Suite("RFC 6902 §4 Operations")
struct PatchOperationTests {
  static let operations: [(text: String, operation: PatchOperation)] = [
    (
      #"{"op":"add","path":"/a/0","value":{"b":[1]}}"#,
      .add(JSONPointer(["a", "0"]), .object(["b": .array([.integer(1)])]))
    ),
    (#"{"op":"add","path":"","value":null}"#, .add(JSONPointer(), .null)),
    (#"{"op":"remove","path":"/a~1b"}"#, .remove(JSONPointer(["a/b"]))),
    (#"{"op":"replace","path":"/","value":"x"}"#, .replace(JSONPointer([""]), .string("x"))),
    (#"{"op":"move","from":"/a","path":"/b"}"#, .move(from: JSONPointer(["a"]), to: JSONPointer(["b"]))),
    // §4: the order means nothing, and what an operation does not know is ignored.
    (#"{"value":1,"path":"/a","op":"add"}"#, .add(JSONPointer(["a"]), .integer(1))),
    (#"{"op":"remove","path":"/a","value":1,"from":2,"x":[]}"#, .remove(JSONPointer(["a"]))),
    (#"{"op":"add","path":"/a","from":"no pointer","value":1}"#, .add(JSONPointer(["a"]), .integer(1))),
    (#"{"\u006fp":"remov\u0065","path":"\/a"}"#, .remove(JSONPointer(["a"]))),
  ]

  @Test("an operation is read", arguments: operations)
  func operation_isRead(text: String, operation: PatchOperation) throws {
    #expect(try PatchOperation(JSONElement(parsing: text)) == operation)
  }

  @Test(
    "what is no operation is refused, and shown",
    arguments: [
      "{}", "[]", "null", #""add""#, #"{"path":"/a","value":1}"#, #"{"op":"add","value":1}"#,
      #"{"op":"add","path":"/a"}"#,
      #"{"op":"replace","path":"/a"}"#, #"{"op":"move","path":"/a"}"#, #"{"op":"move","path":"/a","from":1}"#,
      #"{"op":"add","path":["a"],"value":1}"#, #"{"op":1,"path":"/a","value":1}"#,
      #"{"op":"ADD","path":"/a","value":1}"#,
      #"{"op":"test","path":"/a","value":1}"#, #"{"op":"copy","path":"/a","from":"/b"}"#, #"{"op":"spam","path":"/a"}"#,
    ])
  func otherObject_isRefused(text: String) {
    let error = #expect(throws: PatchError.self) { try PatchOperation(JSONElement(parsing: text)) }
    #expect(error == .malformedOperation(text))
    #expect(error?.description == "\(text) is no add, remove, replace or move")
  }

  @Test(
    "a path that is no pointer is refused",
    arguments: [
      #"{"op":"add","path":"a","value":1}"#, #"{"op":"remove","path":"a"}"#, #"{"op":"move","from":"a","path":"/b"}"#,
      #"{"op":"move","from":"/b","path":"a"}"#, #"{"op":"nothing","path":"a"}"#,
    ])
  func malformedPath_isRefused(text: String) {
    let error = #expect(throws: PatchError.self) { try PatchOperation(JSONElement(parsing: text)) }
    #expect(error == .malformedPointer("a"))
    #expect(error?.description == "\"a\" is no JSON Pointer")
  }
}
