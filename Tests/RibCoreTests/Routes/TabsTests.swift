import RibCore
import RibTesting
import Testing
import Wire

struct TabsTests {
  // MARK: The value

  @Test func tabs_selectTheFirstUnlessTold() {
    #expect(Tabs("a", "b").current == "a")
    #expect(Tabs("a", "b", selected: 1).current == "b")
    #expect(Tabs("a", "b", selected: 1).selected == 1)
    #expect(Tabs("a", "b", selected: 1).front == 1)
  }

  @Test func select_byIndex_staysInRange() {
    var tabs = Tabs("a", "b", "c")
    tabs.select(at: 2)
    #expect(tabs.current == "c")
    for index in [3, -1, .max, .min] {
      tabs.select(at: index)
      #expect(tabs.index == 2)
    }
  }

  @Test func select_byConfiguration_takesTheFirst() {
    var tabs = Tabs("a", "b", "b")
    tabs.select("b")
    #expect(tabs.index == 1)
    tabs.select("x")
    #expect(tabs.index == 1)
  }

  /// An index is no configuration, also where both are numbers.
  @Test func select_ofNumbers_tellsAnIndexFromAConfiguration() {
    var tabs = Tabs(2, 0, 1)
    tabs.select(1)
    #expect(tabs.index == 2)
    tabs.select(at: 1)
    #expect(tabs.current == 0)
    tabs.select(3)
    tabs.select(at: 3)
    #expect(tabs.index == 1)
  }

  @Test func entries_ofEqualConfigurations_differ() {
    #expect(Set(Tabs("a", "a").entries).count == 2)
  }

  @Test func dismiss_takesNothingAway() {
    var tabs = Tabs("a", "b", selected: 1)
    for entry in tabs.entries { #expect(!dismiss(entry.key, from: &tabs)) }
    #expect(tabs == Tabs("a", "b", selected: 1))
  }

  @Test func coding_keepsTheSelection() throws {
    #expect(try coded(Tabs("a", "b", selected: 1)) == Tabs("a", "b", selected: 1))
  }

  @Test(arguments: [#"{"configs":[],"index":0}"#, #"{"configs":["a"],"index":1}"#, #"{"configs":["a"],"index":-1}"#])
  func coding_ofASelectionOutOfRange_fails(json: String) {
    #expect(throws: DecodingError.self) { try decoded(Tabs<String>.self, from: json) }
  }

  // MARK: In a tree

  @Test func selection_isInTheViewAndItsPatch() throws {
    let session = try TestSession(
      Rack(
        pages: Tabs("a", "b", "c", selected: 1),
        changes: ["c": { $0.pages.select("c") }, "b": { $0.pages.select(at: 1) }, "none": { $0.pages.select(at: 7) }]))
    #expect(session.route("pages") == #"{"ids":[2,3,4],"kind":"tabs","selected":1}"#)
    #expect(try session.send("\"c\"") == ["replace /nodes/1/children/pages/selected 2"])
    #expect(try session.send("\"none\"") == [])
    #expect(try session.send("\"b\"") == ["replace /nodes/1/children/pages/selected 1"])
    #expect(try session.send("\"b\"") == [])
  }

  @Test func array_makesAsManyTabs() {
    let tabs = Tabs(configs: ["a", "b"], selected: 1)
    #expect(tabs == Tabs("a", "b", selected: 1))
    #expect(tabs.current == "b")
  }
}
