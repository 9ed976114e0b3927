import Wire

/// The difference between two view states alone.
enum DiffBench {
  static func report() throws {
    let old = BenchList(count: 10_000).makeState()
    var new = old
    new[5000].isDone.toggle()
    try measure("diff: one row of 10,000", old, new)
    var rotated = old
    rotated.append(rotated.removeFirst())
    try measure("diff: the first of 10,000 to the end", old, rotated)
    let padded = BenchPaddedList(count: 10_000).makeState()
    var otherPadded = padded.map { BenchPaddedList.Row(id: $0.id, isDone: $0.isDone, title: $0.title) }
    otherPadded[5000].isDone.toggle()
    try measure("diff: one row of 10,000 with padding", padded, otherPadded)
    let anew = BenchList(count: 10_000).makeState()
    try measure("diff: 10,000 rows made anew", old, anew)
    try measure(
      "diff: two fields", BenchCounter.ViewState(count: 1, isNegative: false),
      BenchCounter.ViewState(count: 2, isNegative: false))
    try measureWriting("write: 10,000 rows", old)
    // From which size on a difference costs less than the whole state.
    for count in [2, 8, 32] {
      let old = BenchList(count: count).makeState()
      var new = old
      new[count / 2].isDone.toggle()
      try measure("diff: one row of \(count)", old, new)
      try measureWriting("write: \(count) rows", old)
    }
  }

  private static func measure<View: Encodable>(_ name: String, _ old: View, _ new: View) throws {
    let encoder = ViewEncoder()
    var patch = PatchWriter()
    try Bench.time(name) {
      patch.removeAll()
      try encoder.writeDifference(from: old, to: new, into: &patch)
    }
  }

  private static func measureWriting(_ name: String, _ value: some Encodable) throws {
    let encoder = ViewEncoder()
    var json = JSONWriter()
    try Bench.time(name) {
      json.removeAll()
      try encoder.write(value, into: &json)
    }
  }
}
