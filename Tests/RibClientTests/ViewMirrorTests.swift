import Testing
import Wire
import WireHash

@testable import RibClient

struct ViewMirrorTests {
  private static let first = JSONValue.object(["count": .integer(0)])
  private static let second = JSONValue.object(["count": .integer(1)])
  private static let change = [PatchOperation.replace(JSONPointer(["count"]), .integer(1))]

  private static func shown() -> ViewMirror {
    var mirror = ViewMirror()
    mirror.show(first, epoch: "E", revision: 1)
    return mirror
  }

  /// A mirror that a patch did not fit.
  private static func diverged() -> ViewMirror {
    var mirror = shown()
    _ = mirror.apply([], base: 2, revision: 3, hash: nil)
    return mirror
  }

  @Test func patch_thatFits_isApplied() {
    var mirror = Self.shown()
    var outcome = mirror.apply(Self.change, base: 1, revision: 2, hash: nil)
    #expect(outcome == .applied(isVerified: false))
    #expect(mirror.view == Self.second && mirror.revision == 2 && mirror.epoch == "E" && !mirror.isToAsk)
    outcome = mirror.apply([], base: 2, revision: 2, hash: Self.second.canonicalHash)
    #expect(outcome == .applied(isVerified: true))
    #expect(mirror.view == Self.second && mirror.revision == 2)
  }

  @Test func hash_isOfTheViewAfterThePatch() {
    var mirror = Self.shown()
    let outcome = mirror.apply(Self.change, base: 1, revision: 2, hash: Self.second.canonicalHash)
    #expect(outcome == .applied(isVerified: true))
    var other = Self.shown()
    let refused = other.apply(Self.change, base: 1, revision: 2, hash: Self.first.canonicalHash)
    #expect(refused == .diverged(.otherHash(revision: 2)))
    #expect(other.view == Self.first && other.revision == 1 && other.isToAsk)
  }

  @Test func patch_thatDoesNotFit_changesNothing() {
    let missing = JSONPointer(["gone"])
    let patches: [(operations: [PatchOperation], base: Int, divergence: Divergence)] = [
      (Self.change, 0, .otherBase(0, revision: 1)), (Self.change, 2, .otherBase(2, revision: 1)),
      (Self.change + [.remove(missing)], 1, .notApplicable(.noSuchPlace(missing))),
    ]
    for (operations, base, divergence) in patches {
      var mirror = Self.shown()
      let outcome = mirror.apply(operations, base: base, revision: 3, hash: nil)
      #expect(outcome == .diverged(divergence))
      #expect(mirror.view == Self.first && mirror.revision == 1 && mirror.isToAsk)
    }
    var empty = ViewMirror()
    let outcome = empty.apply([.add(JSONPointer(), .null)], base: 0, revision: 1, hash: nil)
    #expect(outcome == .diverged(.noView))
    #expect(empty.view == nil && empty.revision == 0 && empty.isToAsk)
  }

  @Test func patches_areIgnoredUntilTheSnapshot() {
    var mirror = Self.diverged()
    for _ in 0..<2 {
      // Before and after the server is asked.
      let outcome = mirror.apply(Self.change, base: 1, revision: 2, hash: "another")
      #expect(outcome == .ignored)
      #expect(mirror.view == Self.first && mirror.revision == 1)
      mirror.ask()
      #expect(!mirror.isToAsk)
    }
    mirror.show(Self.second, epoch: "F", revision: 9)
    #expect(mirror.view == Self.second && mirror.revision == 9 && mirror.epoch == "F" && !mirror.isToAsk)
    let outcome = mirror.apply([], base: 9, revision: 10, hash: nil)
    #expect(outcome == .applied(isVerified: false))
  }

  @Test func snapshot_thatComesUnasked_isEnough() {
    var mirror = Self.diverged()
    mirror.show(Self.second, epoch: "E", revision: 4)
    #expect(!mirror.isToAsk)
    // There is nothing to be asked for: the next patch is applied.
    mirror.ask()
    let outcome = mirror.apply([], base: 4, revision: 5, hash: nil)
    #expect(outcome == .applied(isVerified: false))
  }

  @Test func otherConnection_goesOnWithAGoodViewOnly() {
    var good = Self.shown()
    good.comeBack()
    #expect(good.revision == 1 && good.view == Self.first)
    for isAsked in [false, true] {
      var bad = Self.diverged()
      if isAsked { bad.ask() }
      bad.comeBack()
      // It is still shown, and counts for nothing.
      #expect(bad.view == Self.first && bad.revision == 0 && !bad.isToAsk)
      let outcome = bad.apply(Self.change, base: 1, revision: 2, hash: nil)
      #expect(outcome == .diverged(.otherBase(1, revision: 0)))
    }
  }

  @Test func otherLife_makesTheViewCountForNothing() {
    var mirror = Self.shown()
    mirror.join(epoch: "E")
    #expect(mirror.revision == 1)
    mirror.join(epoch: "F")
    // The epoch is still that of the view.
    #expect(mirror.revision == 0 && mirror.epoch == "E" && mirror.view == Self.first)
    var empty = ViewMirror()
    empty.join(epoch: "F")
    #expect(empty.epoch == "F" && empty.revision == 0)
  }
}
