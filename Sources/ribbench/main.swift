// Costs of the riblet runtime without sockets: time per action from its parsed JSON to the bytes of its patch, and the
// parts before and after it.
//
//   ribbench          all of them, each the median of several rounds
//   ribbench NAME N   one of them, N actions: for a profiler
//   ribbench store [URL]   what a commit of the store costs, and of one in PostgreSQL

import RibCore
import Wire

let benches: [Bench] = [
  Bench("counter", BenchCounter(), #"{"increment":{}}"#, to: .path("")),
  Bench("counter", BenchCounter(), #"{"increment":{}}"#, to: .path(""), isStored: true),
  Bench("counter-decoded", BenchCounter(), decoded: .increment),
  Bench("depth-1", BenchChain(depth: 1), #"{"increment":{}}"#, to: .path("next")),
  Bench("depth-40", BenchChain(depth: 40), #"{"increment":{}}"#, to: .id(41)),
  Bench("depth-40", BenchChain(depth: 40), #"{"increment":{}}"#, to: .id(41), isStored: true),
  Bench("siblings-1", BenchRow(count: 1), #"{"increment":{}}"#, to: .id(2)),
  Bench("siblings-1000", BenchRow(count: 1000), #"{"increment":{}}"#, to: .id(2)),
  Bench("siblings-1000", BenchRow(count: 1000), #"{"increment":{}}"#, to: .id(2), isStored: true),
  Bench("embedded-depth-1", BenchNest(width: 1, depth: 1), #"{"increment":{}}"#, to: .id(2)),
  Bench("embedded-depth-40", BenchNest(width: 1, depth: 40), #"{"increment":{}}"#, to: .id(41)),
  Bench("embedded-siblings-1000", BenchNest(width: 1000, depth: 1), #"{"increment":{}}"#, to: .id(2)),
  Bench("embedded-siblings-1000", BenchNest(width: 1000, depth: 1), #"{"increment":{}}"#, to: .id(2), isStored: true),
  Bench("parent-of-0", BenchNest(width: 0, depth: 1), #"{"increment":{}}"#, to: .id(1)),
  Bench("parent-of-1000", BenchNest(width: 1000, depth: 1), #"{"increment":{}}"#, to: .id(1)),
  Bench("parent-of-1000", BenchNest(width: 1000, depth: 1), #"{"increment":{}}"#, to: .id(1), isStored: true),
  Bench("row-of-10000", BenchList(count: 10_000), #"{"toggle":5000}"#, to: .path("")),
  Bench("row-of-10000", BenchList(count: 10_000), #"{"toggle":5000}"#, to: .path(""), isStored: true),
  Bench("padded-row-of-10000", BenchPaddedList(count: 10_000), #"{"toggle":5000}"#, to: .path("")),
  Bench(
    "insertion-before-10000", BenchLines(count: 10_000), #"{"insert":{}}"#, to: .path(""), operations: nil, limit: 1),
]

if CommandLine.arguments.count == 3, CommandLine.arguments[1] != "store", let count = Int(CommandLine.arguments[2]) {
  guard let bench = benches.first(where: { $0.name == CommandLine.arguments[1] }) else {
    fatalError("there is no \(CommandLine.arguments[1]); there is: \(benches.map(\.name).joined(separator: ", "))")
  }
  try bench.run(count)
} else if CommandLine.arguments.dropFirst().first == "store" {
  try StoreBench.report(postgres: CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : nil)
} else {
  for bench in benches { try bench.report() }
  try DecodeBench.report()
  try DiffBench.report()
  try StoreBench.report()
}
