import RibTesting
import Testing

@testable import Showcase

/// What the showcase's sessions have saved is read by the next version.
@Suite struct StateShapesTests {
  @Test func stateShapes_decodeWhatWasDeployed() throws {
    try StateShapes.check(Showcase.apps, against: "state-shapes.json")
  }
}
