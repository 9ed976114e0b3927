import Testing

@testable import Wire

@Suite("Whom an action is for")
struct NodeAddressTests {
  @Test(
    "an address reads as people say it",
    arguments: [(.id(7), "node 7"), (.path("tabs[0]/detail"), #""tabs[0]/detail""#), (.path(""), "the root")]
      as [(NodeAddress, String)])
  func address_describesItself(address: NodeAddress, description: String) {
    #expect(address.description == description)
  }
}
