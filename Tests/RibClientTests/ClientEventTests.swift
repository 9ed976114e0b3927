import RibClient
import Testing

struct ClientErrorTests {
  @Test func description_isASentenceForAPerson() {
    #expect("\(ClientError.notLive)" == "There is no live session.")
    #expect(
      "\(ClientError.messageTooLong(limit: 80))"
        == "The message would be longer than the 80 bytes that the server takes.")
    #expect("\(ClientError.resendFirst)" == "What the server has not taken is to be sent again first.")
    #expect("\(ClientError.tooManyResyncs)" == "The server's patches do not fit, again and again.")
    #expect("\(ClientError.badServer("n went back."))" == "The server broke the protocol: n went back.")
  }
}
