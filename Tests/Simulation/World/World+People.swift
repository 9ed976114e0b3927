import RibClient

/// Who clients are, and what is done to them because of it.
extension World {
  /// Draws who the next client is.
  ///
  /// - Parameter host: whose session it joins; nil if it begins one.
  /// - Returns: nobody, where clients do not say who they are.
  func makeHolder(_ host: SimulatedClient?) -> Holder {
    guard plan.setting.signsIn, host == nil || persons.oneIn(2) else { return Holder(nil) }
    // Some have several clients.
    let person = persons.oneIn(3) ? 1 : clients.count + 1
    return Holder(person, shows: !persons.oneIn(3), renews: !persons.oneIn(3))
  }

  /// Draws who a client of the HTTP twin is: it says so with each request, or never.
  func makeTwinHolder(_ number: Int) -> Holder {
    guard plan.setting.signsIn, persons.oneIn(2) else { return Holder(nil) }
    return Holder(persons.oneIn(3) ? 1 : number, shows: true)
  }

  /// Signs somebody out.
  func signOut(_ random: inout SimulationRandom) {
    let holders = clients.filter { !$0.hasEnded }.map(\.holder) + twins.filter { !$0.hasEnded }.map(\.holder)
    let persons = Set(holders.compactMap(\.person)).sorted()
    guard !persons.isEmpty, let process = anyProcess(&random) else { return }
    let person = persons[random.below(persons.count)]
    note("process \(process.number) is to sign out person \(person)")
    issuer.willSignOut(person)
    let signedOut = holders.filter { $0.person == person }
    // Whoever has joined a session of that person's, and does not say who it is, may be that person.
    let guests = clients.filter { $0.host?.holder.person == person }
    let nameless = guests.filter { guest in
      guest.holder.person == nil && guest.host?.holder.isBound == true && guest.session.lastWelcome != nil
    }
    let bound = signedOut.filter(\.isBound) + nameless.map(\.holder)
    for holder in signedOut + guests.map(\.holder) { holder.mayRetire() }
    process.signOut(SimulatedIssuer.subject(person)) { [unowned self, unowned process] in
      note("process \(process.number) has signed out person \(person)")
      figures.note("persons signed out")
      for holder in bound { holder.retire(by: process, newest: processCount, isOfPerson: true) }
    }
  }

  /// Has a stranger show the token of a client whose person is known.
  func steal(_ random: inout SimulationRandom) {
    let owners = clients.filter(\.holder.isBound)
    guard !owners.isEmpty else { return }
    let owner = owners[random.below(owners.count)]
    let token = owner.pastTokens.randomElement(using: &random) ?? ""
    let thief = Thief(200 + thieves.count, of: owner, with: token, asPerson: random.oneIn(2) ? 900 : nil, in: self)
    thieves.append(thief)
    thief.goOn()
  }
}
