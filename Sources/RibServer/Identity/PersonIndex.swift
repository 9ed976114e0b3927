/// The connections of a loop that a sign-out may concern, by persons.
///
/// A connection is found by the person whose credential it has shown, and by the person who has begun its session. Connections without either are
/// not in it.
struct PersonIndex {
  private var connections: [PersonID: Set<Int>] = [:]
  private var persons: [Int: [PersonID]] = [:]

  /// Whether there are none.
  var isEmpty: Bool { connections.isEmpty && persons.isEmpty }

  /// Adds a connection to those of a person.
  mutating func add(_ connection: Int, of person: PersonID) {
    guard connections[person, default: []].insert(connection).inserted else { return }
    persons[connection, default: []].append(person)
  }

  /// Removes a connection.
  mutating func remove(_ connection: Int) {
    for person in persons.removeValue(forKey: connection) ?? [] {
      connections[person]?.remove(connection)
      if connections[person]?.isEmpty == true { connections[person] = nil }
    }
  }

  /// The connections of some persons.
  func connections(of persons: Set<PersonID>) -> Set<Int> {
    persons.reduce(into: []) { $0.formUnion(connections[$1] ?? []) }
  }
}
