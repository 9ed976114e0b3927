// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let customDump = Target.Dependency.product(name: "CustomDump", package: "swift-custom-dump")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let jwtKit = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let inMemoryTracing = Target.Dependency.product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
  name: "ribserver",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "Wire", targets: ["Wire"]),
    .library(name: "RibCore", targets: ["RibCore"]),
    .library(name: "RibRIV", targets: ["RibRIV"]),
    .library(name: "RibSchema", targets: ["RibSchema"]),
    .library(name: "RibMetrics", targets: ["RibMetrics"]),
    .library(name: "RibServer", targets: ["RibServer"]),
    .library(name: "RibAuth", targets: ["RibAuth"]),
    .library(name: "RibPostgres", targets: ["RibPostgres"]),
    .library(name: "RibInspector", targets: ["RibInspector"]),
    .library(name: "RibWeb", targets: ["RibWeb"]),
    .library(name: "RibClient", targets: ["RibClient"]),
    .library(name: "RibTesting", targets: ["RibTesting"]),
    .executable(name: "ribd", targets: ["ribd"]),
    .executable(name: "ribd-cluster", targets: ["ribd-cluster"]),
    .executable(name: "ribctl", targets: ["ribctl"]),
    // For Fuzz/ only.
    .library(name: "FuzzInvariants", targets: ["FuzzInvariants"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.1.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.3.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.0.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    .target(name: "CWeb"),

    .target(name: "Wire", swiftSettings: swiftSettings),
    .target(name: "WireHash", dependencies: ["Wire", crypto], swiftSettings: swiftSettings),
    .target(name: "WireHTTP", dependencies: ["CZlib", "Wire", crypto], swiftSettings: swiftSettings),
    .target(name: "RibCore", dependencies: ["Wire", logging], swiftSettings: swiftSettings),
    .target(name: "RibRIV", dependencies: ["RibCore"], swiftSettings: swiftSettings),
    .target(name: "RibMetrics", dependencies: [coreMetrics], swiftSettings: swiftSettings),
    .target(name: "RibSchema", dependencies: ["RibCore", "Wire"], swiftSettings: swiftSettings),
    .target(
      name: "RibServer",
      dependencies: [
        "RibCore", "RibMetrics", "RibSchema", "Wire", "WireHTTP", "WireHash",
        .target(name: "CLinux", condition: .when(platforms: [.linux])),
        "CSQLite", configuration, crypto, grdb, grdbSQLite, logging, metrics, serviceLifecycle, tracing,
      ],
      resources: [.embedInCode("HTTP/openapi.json")],
      swiftSettings: swiftSettings),
    .target(
      name: "RibAuth",
      dependencies: [
        "CCurl", "RibCore", "RibMetrics", "RibServer", "Wire", "WireHTTP", crypto, jwtKit, logging, metrics,
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "RibPostgres", dependencies: ["CPQ", "RibCore", "RibServer", "Wire"], swiftSettings: swiftSettings),
    .target(name: "RibInspector", dependencies: ["RibCore", "RibServer"], swiftSettings: swiftSettings),
    .target(
      name: "RibDevIssuer", dependencies: ["RibCore", "RibServer", "Wire", "WireHTTP", crypto],
      swiftSettings: swiftSettings),
    .target(name: "RibWeb", dependencies: ["CWeb", "RibServer", "Wire"], swiftSettings: swiftSettings),
    .target(name: "RibClient", dependencies: ["Wire", "WireHash"], swiftSettings: swiftSettings),
    .target(
      name: "RibTesting", dependencies: ["RibCore", "RibSchema", "Wire", customDump], swiftSettings: swiftSettings),
    .target(name: "Showcase", dependencies: ["RibCore", "RibRIV", "RibServer"], swiftSettings: swiftSettings),
    .target(
      name: "CurlTransport", dependencies: ["CCurl", "RibClient", "Wire", "WireHTTP"], swiftSettings: swiftSettings),

    .target(
      name: "RibDaemon",
      dependencies: [
        "RibAuth", "RibCore", "RibDevIssuer", "RibInspector", "RibMetrics", "RibServer", "RibWeb", "Showcase", "Wire",
        argumentParser, configuration,
        logging, coreMetrics, serviceLifecycle, unixSignals,
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "ribd", dependencies: ["RibDaemon", "RibServer", argumentParser], swiftSettings: swiftSettings),
    .executableTarget(
      name: "ribd-cluster", dependencies: ["RibDaemon", "RibPostgres", "RibServer", argumentParser],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "ribctl",
      dependencies: [
        "CurlTransport", "RibClient", "RibCore", "RibDevIssuer", "RibServer", "Wire", "WireHTTP", argumentParser,
        logging,
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "ribbench", dependencies: ["RibCore", "RibPostgres", "RibServer", "Wire"], swiftSettings: swiftSettings),

    .target(
      name: "CLyingDisk", path: "Tests/LyingDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "Simulation",
      dependencies: ["CLyingDisk", "RibClient", "RibCore", "RibServer", "Wire", "WireHTTP", grdb, logging],
      path: "Tests/Simulation",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "ribsim", dependencies: ["RibServer", "Simulation", argumentParser], path: "Tests/ribsim",
      swiftSettings: swiftSettings),
    // Apps whose states were changed since what Tests/Fixtures has was stored.
    .executableTarget(
      name: "ribshapes", dependencies: ["RibCore", "RibServer"], path: "Tests/ribshapes", swiftSettings: swiftSettings),

    // What the fuzzer checks of each input, also for the tests that try the inputs it has kept. Fuzz/, a package of its own, has
    // the fuzzer; what is checked belongs to this package, as WireHTTP can only be seen from here.
    .target(
      name: "FuzzInvariants", dependencies: ["Wire", "WireHTTP"], path: "Fuzz/Sources/FuzzInvariants",
      swiftSettings: swiftSettings),

    // What all test targets share.
    .target(
      name: "RibTestSupport", dependencies: [logging], path: "Tests/RibTestSupport", swiftSettings: swiftSettings),
    .testTarget(
      name: "WireTests", dependencies: ["FuzzInvariants", "RibClient", "RibTestSupport", "Wire", "WireHash"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "WireHTTPTests", dependencies: ["FuzzInvariants", "RibTestSupport", "Wire", "WireHTTP"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RibCoreTests", dependencies: ["RibCore", "RibTesting", "RibClient", "RibTestSupport", "Wire", logging],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RibRIVTests", dependencies: ["RibCore", "RibRIV", "RibTesting", "Wire"], swiftSettings: swiftSettings),
    .testTarget(
      name: "RibSchemaTests", dependencies: ["RibCore", "RibSchema", "RibTestSupport", "Showcase", "Wire"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RibDaemonTests", dependencies: ["RibDaemon", "Wire", logging], swiftSettings: swiftSettings),
    .testTarget(name: "RibMetricsTests", dependencies: ["RibMetrics", coreMetrics], swiftSettings: swiftSettings),
    .testTarget(
      name: "RibInspectorTests", dependencies: ["RibCore", "RibInspector", "RibServer", "RibTesting", "Wire"],
      swiftSettings: swiftSettings),
    .testTarget(name: "RibWebTests", dependencies: ["RibWeb"], swiftSettings: swiftSettings),
    .testTarget(
      name: "RibTestingTests", dependencies: ["RibCore", "RibSchema", "RibTesting", "Wire"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "ShowcaseTests", dependencies: ["RibCore", "RibRIV", "RibServer", "RibTesting", "Showcase", "Wire"],
      exclude: ["Integration/state-shapes.json"],
      swiftSettings: swiftSettings),
    .testTarget(name: "RibClientTests", dependencies: ["RibClient", "Wire", "WireHash"], swiftSettings: swiftSettings),
    .testTarget(
      name: "RibAuthTests",
      dependencies: ["RibAuth", "RibCore", "RibMetrics", "RibServer", "RibTestSupport", "Wire", logging, metrics],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RibDevIssuerTests", dependencies: ["RibCore", "RibDevIssuer", "RibTesting", "Wire", "WireHTTP", crypto],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "ribctlTests",
      dependencies: ["RibCore", "RibServer", "RibTesting", "Wire", "WireHTTP", "ribctl"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RibServerTests",
      dependencies: [
        "CLyingDisk", "CurlTransport", "RibClient", "RibCore", "RibDaemon", "RibDevIssuer", "RibInspector",
        "RibMetrics",
        "RibPostgres", "RibServer", "RibTestSupport", "RibTesting", "RibWeb", "Showcase", "Simulation", "Wire",
        "WireHTTP", "WireHash", "ribctl",
        "ribd",
        "ribd-cluster", "ribshapes", "ribsim",
        .target(name: "CLinux", condition: .when(platforms: [.linux])), configuration, grdb, logging,
        inMemoryTracing, metrics, metricsTestKit, tracing,
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6],
  // For #embed.
  cLanguageStandard: .c2x
)
