// Gives what libFuzzer makes up to the parsers of Wire, and checks what must hold whatever comes.
//
//   FUZZ_TARGET=json Fuzz [OPTION...] [FOLDER...]    options and folders of inputs are libFuzzer's; -help=1 lists them
//   FUZZ_TARGET=json Fuzz FILE                       runs one input again
//   Fuzz                                             lists the targets
//
// scripts/fuzz builds it, and runs every target. To add one, write it as an extension of FuzzTarget, and name it in
// FuzzTarget.all.

import LibFuzzer

if FuzzTarget.chosen == nil {
  for target in FuzzTarget.all { print(target.name) }
} else {
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  let status = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
    FuzzTarget.chosen?.check(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
  }
  precondition(status == 0, "libFuzzer ended with \(status)")
}
