import RibCore
import Testing

@testable import Showcase

struct AppRoomTests {
  private let session = SessionContext(id: "5d1cf1a0")

  @Test func name_isTheClients_orMadeUp() {
    #expect(RoomParameters(name: "Ada").name(in: session) == "Ada")
    #expect(RoomParameters(name: nil).name(in: session) == "Guest 5d1c")
    #expect(RoomParameters(name: "").name(in: session) == "Guest 5d1c")
  }

  @Test func longName_isCutOff() {
    let name = String(repeating: "a", count: RoomParameters.longestName)
    #expect(RoomParameters(name: name + "b").name(in: session) == name)
  }
}
