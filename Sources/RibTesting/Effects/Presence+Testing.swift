public import RibCore

extension Presence {
  /// A presence for a test of riblets: observers are told at once, also of those who leave, and each such presence is alone.
  ///
  ///     let guests = Presence<Guest>.immediate()
  ///     let test = TestRiblet(Room(me: ada, guests: guests, session: SessionContext(id: "1", clients: clients)))
  ///     clients.update(to: 1)
  ///     test.receive(.guestsChanged([ada])) { $0.guests = [ada] }
  ///
  /// - Returns: a presence with nobody there.
  public static func immediate() -> Presence {
    Presence(name: "immediate", on: PresenceExchange(), isImmediate: true)
  }
}
