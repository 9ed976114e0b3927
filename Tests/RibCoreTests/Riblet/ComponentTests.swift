import RibCore
import RibTesting
import Testing

struct ComponentTests {
  @Test func shared_isMadeOnce() {
    let component = Rooms()
    #expect(component.made == 0)
    #expect(component.kitchen === component.kitchen)
    #expect(component.made == 1)
  }

  @Test func shared_belongsToItsProperty() {
    let component = Rooms()
    #expect(component.kitchen !== component.bath)
    #expect(component.kitchen !== Rooms().kitchen)
    #expect(component.made == 2)
  }

  @Test func shared_ofOverloads_isToldApartByType() {
    let component = Rooms()
    let text: String = component.door()
    let number: Int = component.door()
    #expect(text == "door")
    #expect(number == 1)
    #expect((component.door() as String) == "door")
  }

  @Test func shared_mayBeOptional() {
    let component = Rooms()
    #expect(component.key == "key")
    #expect(component.noKey == nil)
    #expect(component.noKey == nil)
    #expect(component.made == 2)
  }

  @Test func component_knowsWhatTheParentProvides() {
    #expect(RibCore.Component(dependency: 7).dependency == 7)
  }

  @Test func component_diesWithItsNode() throws {
    let alive = Alive()
    let session = try TestSession(House(alive: alive))
    #expect(alive.count == 0)
    try session.send("\"enter\"")
    #expect(alive.count == 1)
    // Both of the room's children have the same.
    #expect(session.property("furniture", of: 3) == session.property("furniture", of: 4))
    try session.send("\"leave\"")
    #expect(alive.count == 0)
  }
}

private final class Rooms: RibCore.Component<Void> {
  final class Room {}
  private(set) var made = 0

  init() { super.init(dependency: ()) }

  var kitchen: Room { shared { make() } }
  var bath: Room { shared { make() } }
  var key: String? {
    shared {
      made += 1
      return "key"
    }
  }
  var noKey: String? {
    shared {
      made += 1
      return nil
    }
  }
  func door() -> String { shared { "door" } }
  func door() -> Int { shared { 1 } }

  private func make() -> Room {
    made += 1
    return Room()
  }
}

/// How many rooms there are.
private final class Alive {
  var count = 0
  var last = 0
}

/// Has furniture, and counts itself as long as it lives.
private final class RoomComponent: RibCore.Component<Alive> {
  override init(dependency: Alive) {
    super.init(dependency: dependency)
    dependency.count += 1
  }

  deinit { dependency.count -= 1 }

  var furniture: Int {
    shared {
      dependency.last += 1
      return dependency.last
    }
  }
}

private struct House: Riblet {
  static let typeName = "House"
  enum ViewAction: Decodable { case enter, leave }

  let alive: Alive

  var routes: [Route<Self>] {
    [Route("room", \.self) { [alive] _ in Child(RoomOfHouse(component: RoomComponent(dependency: alive))) }]
  }

  func makeState() -> Slot<Int> { Slot() }

  func reduce(into room: inout Slot<Int>, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .enter: room.attach(0)
    case .leave: room.detach()
    }
    return .none
  }

  func view(_ room: Slot<Int>) -> Int { 0 }
}

private struct RoomOfHouse: Riblet {
  static let typeName = "Room"

  let component: RoomComponent

  var routes: [Route<Self>] {
    [Route("corners", \.self) { [component] _ in Child(Corner(furniture: component.furniture)) }]
  }

  func makeState() -> Items<Int> { Items([0, 1]) }
  func view(_ state: Items<Int>) -> Int { 0 }
}

private struct Corner: Riblet {
  static let typeName = "Corner"
  struct ViewState: Encodable, Equatable { let furniture: Int }

  let furniture: Int

  func makeState() {}
  func view(_ state: Void) -> ViewState { ViewState(furniture: furniture) }
}
