import RibTesting
import Testing

@testable import Showcase

struct PeopleTests {
  @Test func people_areTheParents_andThisPersonIsFirst() {
    let test = TestRiblet(People(), props: .init(me: "Cleo", present: ["Ada", "Cleo"])) { state in
      state.people = [.init(name: "Cleo", isMe: true), .init(name: "Ada", isMe: false)]
    }
    test.setProps(.init(me: "Cleo", present: ["Ada"])) { $0.people = [.init(name: "Ada", isMe: false)] }
    test.setProps(.init(me: "Cleo", present: [])) { $0.people = [] }
  }

  @Test func foldedList_showsHowManyThereAre() {
    let ada = People.Person(name: "Ada", isMe: true)
    let test = TestRiblet(People(), props: .init(me: "Ada", present: ["Ada"])) { $0.people = [ada] }
    test.send(.foldTapped) { $0.isFolded = true }
    test.expectView(.init(count: 1, people: [], isFolded: true))
    test.send(.foldTapped) { $0.isFolded = false }
    test.expectView(.init(count: 1, people: [ada], isFolded: false))
  }
}
