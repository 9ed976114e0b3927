import Testing

@testable import RibServer

@Suite struct PersonIndexTests {
  private let ada = PersonID("ada", issuer: "i"), ben = PersonID("ben", issuer: "i")

  @Test func connections_areFoundByTheirPersons() {
    var index = PersonIndex()
    for connection in 1...5 { index.add(connection, of: ada) }
    // A guest in a session of hers.
    for _ in 0..<2 { index.add(3, of: ben) }
    index.add(9, of: ben)
    #expect(index.connections(of: [ada]) == [1, 2, 3, 4, 5])
    #expect(index.connections(of: [ben]) == [3, 9])
    #expect(index.connections(of: [ada, ben]) == [1, 2, 3, 4, 5, 9])
    #expect(index.connections(of: [PersonID("ada", issuer: "j")]).isEmpty)
  }

  @Test func connectionThatIsRemoved_leavesNothing() {
    var index = PersonIndex()
    for person in [ada, ben] { index.add(1, of: person) }
    index.add(2, of: ada)
    index.remove(7)
    index.remove(1)
    #expect(index.connections(of: [ada, ben]) == [2])
    index.remove(2)
    #expect(index.isEmpty)
  }

  /// A sign-out looks at the person's own connections, however many others there are.
  @Test func signOut_takesNoLongerAmongMany() {
    var index = PersonIndex()
    for connection in 0..<100_000 { index.add(connection, of: PersonID("\(connection / 2)", issuer: "i")) }
    let persons: Set = [PersonID("7", issuer: "i")]
    let start = ContinuousClock.now
    for _ in 0..<100 { #expect(index.connections(of: persons) == [14, 15]) }
    #expect(ContinuousClock.now - start < .milliseconds(100))
  }
}
