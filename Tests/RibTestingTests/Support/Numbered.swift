import RibCore

struct Numbered: Riblet {
  static let typeName = "Numbered"
  let numbers: SharedValue<Int>

  func makeState() -> Int {
    numbers.update { $0 += 1 }
    return numbers.value
  }

  func view(_ state: Int) -> Int { state }
}
