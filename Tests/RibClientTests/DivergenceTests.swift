import RibClient
import Testing
import Wire

struct DivergenceTests {
  @Test(
    arguments: [
      (.noView, "A patch before the first snapshot."),
      (.otherBase(4, revision: 7), "A patch for revision 4, the view has 7."),
      (
        .notApplicable(.noSuchPlace(JSONPointer(["a"]))),
        "A patch does not apply: \(PatchError.noSuchPlace(JSONPointer(["a"])))."
      ),
      (.otherHash(revision: 3), "The view of revision 3 has another hash than the server's."),
    ] as [(Divergence, String)])
  func description_isASentenceForAPerson(divergence: Divergence, text: String) {
    #expect(divergence.description == text)
  }
}
