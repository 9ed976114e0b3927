// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ribserver-benchmarks",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "nio-counter", targets: ["NIOCounter"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0")
  ],
  targets: [
    .executableTarget(
      name: "NIOCounter",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
