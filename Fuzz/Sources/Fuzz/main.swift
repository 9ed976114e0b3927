// Gives what libFuzzer makes up to the parsers of Wire and WireHTTP, and checks what must hold whatever comes.
//
//   FUZZ_TARGET=json Fuzz [OPTION...] [FOLDER...]    options and folders of inputs are libFuzzer's; -help=1 lists them
//   FUZZ_TARGET=json Fuzz FILE                       runs one input again
//   Fuzz                                             lists the targets
//
// scripts/fuzz builds it, and runs every target. To add one, write it as an extension of FuzzTarget, and name it in
// FuzzTarget.all. What is checked is in FuzzInvariants, a target of the server's package, by which its tests try the
// inputs of Corpus and Regressions again.

import FuzzInvariants
import LibFuzzer

if FuzzTarget.chosen == nil {
  for target in FuzzTarget.all { print(target.name) }
} else {
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  let status = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
    do {
      try FuzzTarget.chosen?.check(Array(UnsafeBufferPointer(start: data, count: size)))
    } catch {
      // A crash is what libFuzzer keeps an input for.
      fatalError("\(error)")
    }
    return 0
  }
  precondition(status == 0, "libFuzzer ended with \(status)")
}
