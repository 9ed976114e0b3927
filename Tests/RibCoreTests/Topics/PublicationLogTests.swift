import Testing

@testable import RibCore

struct PublicationLogTests {
  private func values(_ log: PublicationLog<Int>, after position: UInt64) -> [Int] {
    var (values, position): ([Int], UInt64) = ([], position)
    while let next = log.first(after: position) {
      values.append(next.value)
      position = next.position
    }
    return values
  }

  @Test(arguments: 0...4)
  func log_keepsTheLast_andForgets(capacity: Int) {
    var log = PublicationLog<Int>(capacity: capacity)
    for number in 1...3 {
      log.skip()
      #expect(log.position == UInt64(number))
    }
    #expect(log.first(after: 0) == nil)
    for number in 4...13 {
      _ = log.append(number)
      #expect(log.position == UInt64(number))
      let kept = Array(max(4, number - capacity + 1)..<number + 1)
      for position in 0...number {
        #expect(values(log, after: UInt64(position)) == kept.filter { $0 > position })
      }
      #expect(log.last == (capacity == 0 ? nil : number))
    }
    #expect(log.forget().count == capacity)
    #expect(values(log, after: 0).isEmpty)
    _ = log.append(14)
    #expect(values(log, after: 0) == (capacity == 0 ? [] : [14]))
  }

  @Test func value_thatMakesRoom_isHandedOut() {
    var log = PublicationLog<Int>(capacity: 2)
    #expect([1, 2, 3, 4].map { log.append($0) } == [nil, nil, 1, 2])
  }

  @Test func amended_isAPublication() {
    var log = PublicationLog<Int>(capacity: 1)
    #expect(log.amend { $0 += 1 } == nil)
    _ = log.append(1)
    #expect(log.amend { $0 += 1 } == 2)
    #expect(log.position == 2)
    #expect(values(log, after: 1) == [2])
    #expect(values(log, after: 2).isEmpty)
  }
}
