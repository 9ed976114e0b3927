// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as what it is built with, sanitizers and coverage, is nothing for those who build the server.
// scripts/fuzz knows the flags.

let package = Package(
  name: "ribserver-fuzz",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "ribserver", path: "..")
  ],
  targets: [
    .systemLibrary(name: "LibFuzzer"),
    .executableTarget(
      name: "Fuzz",
      dependencies: ["LibFuzzer", .product(name: "FuzzInvariants", package: "ribserver")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
