// swift-tools-version: 6.2
import PackageDescription

/// A library of Debian and Ubuntu, found by pkg-config.
func system(_ name: String, _ pkgConfig: String, _ apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// What `scripts/build` knows of the commit; "unknown" for any other build.
func buildInfo(_ name: String) -> CSetting {
    .define(name, to: "\"\(Context.environment[name] ?? "unknown")\"")
}

let package = Package(
    name: "network-health-exporter",
    products: [
        .executable(name: "network-health-exporter", targets: ["network-health-exporter"]),
        .library(name: "NetworkHealth", targets: ["NetworkHealth"]),
        .library(name: "NetworkPath", targets: ["NetworkPath"]),
        .library(name: "PrometheusExposition", targets: ["PrometheusExposition"]),
        .library(name: "MicroHTTP", targets: ["MicroHTTP"]),
        .library(name: "SpeedTestCore", targets: ["SpeedTestCore"]),
        .library(name: "Networking", targets: ["Networking"]),
        .library(name: "NetworkingMocks", targets: ["NetworkingMocks"]),
        .library(name: "OfflineQueue", targets: ["OfflineQueue"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // C libraries and kernel headers: each is imported by the one Swift target that wraps it.
        system("CCrypt", "libcrypt", "libcrypt-dev"),
        system("CCurl", "libcurl", "libcurl4-gnutls-dev"),
        system("CGnuTLS", "gnutls", "libgnutls28-dev"),
        system("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
        system("CPCRE2", "libpcre2-8", "libpcre2-dev"),
        system("CSQLite", "sqlite3", "libsqlite3-dev"),
        system("CSystemd", "libsystemd", "libsystemd-dev"),
        system("CYAML", "yaml-0.1", "libyaml-dev"),
        system("CZlib", "zlib", "zlib1g-dev"),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),

        .target(name: "CBuildInfo", cSettings: ["NHE_REVISION", "NHE_BRANCH"].map(buildInfo)),
        .systemLibrary(name: "CMemory"),
        .target(name: "CSignals"),
        .target(name: "CThreads"),
        // A constructor of the executable alone: a library must leave its process's signals alone.
        .target(name: "CStart", dependencies: ["CSignals", "CThreads"]),

        // Files that are embedded by #embed.
        .target(name: "CAssets", exclude: ["openapi.json", "page"]),

        // Ground: no knowledge of networks, metrics or HTTP.
        .target(name: "Coordination"),
        .target(name: "Statistics"),
        .target(name: "Negotiation"),
        .target(
            name: "Posix",
            dependencies: ["CLinux", "Coordination", .product(name: "HeapModule", package: "swift-collections")]
        ),

        // Facts from the left, text and sockets on the right.
        .target(name: "Netlink", dependencies: ["CLinux", "Posix"]),
        .target(name: "NetworkPath", dependencies: ["CSystemd", "Coordination", "Netlink", "Posix", "Statistics"]),
        .target(name: "HTTPTransfer", dependencies: ["CCurl", "Coordination", "Posix"]),
        .target(
            name: "Probing",
            dependencies: [
                "CLinux", "CPCRE2", "Coordination", "HTTPTransfer", "Netlink", "Posix", "Statistics",
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "NetworkHealth",
            dependencies: [
                "Coordination", "HTTPTransfer", "Netlink", "NetworkPath", "Posix", "Probing", "Statistics",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "SpeedTestCore",
            dependencies: ["CGnuTLS", "Coordination", "HTTPTransfer", "Netlink", "Posix", "Statistics"]
        ),
        .target(name: "PrometheusExposition", dependencies: ["Negotiation"]),
        .target(name: "StrictYAML", dependencies: ["CYAML"]),
        .target(
            name: "MicroHTTP",
            dependencies: [
                "CCrypt", "CGnuTLS", "CMemory", "CMicroHTTPD", "CZlib", "Coordination", "Negotiation", "Posix",
            ]
        ),
        .target(name: "Storage", dependencies: ["CSQLite", "Coordination", "Posix"]),
        .target(name: "OfflineQueue", dependencies: ["Coordination", "HTTPTransfer", "Posix", "Storage"]),

        // For Swift programs, on URLSession: never linked into the executable.
        .target(name: "Networking"),
        .target(name: "NetworkingMocks", dependencies: ["Coordination", "Networking"]),

        // Where everything meets: a library, so that tests and fuzz targets can be linked with it.
        .target(
            name: "NetworkHealthExporter",
            dependencies: [
                "CAssets", "CBuildInfo", "CGnuTLS", "CMemory", "CSignals", "CThreads", "Coordination", "HTTPTransfer",
                "MicroHTTP", "Negotiation", "Netlink", "NetworkHealth", "NetworkPath", "OfflineQueue", "Posix",
                "Probing", "PrometheusExposition", "SpeedTestCore", "Statistics", "Storage", "StrictYAML",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "network-health-exporter",
            dependencies: ["CStart", "NetworkHealthExporter"],
            path: "Sources/Start"
        ),

        // The lab: network namespaces with real cables, for root.
        .systemLibrary(name: "CLab", path: "Tests/CLab"),
        .target(name: "Lab", dependencies: ["CLab", "Coordination", "MicroHTTP", "Posix"], path: "Tests/Lab"),
        .testTarget(
            name: "LabTests",
            dependencies: [
                "CLab", "Coordination", "HTTPTransfer", "Lab", "Netlink", "NetworkHealth", "NetworkPath", "Posix",
                "Probing", "SpeedTestCore", "Statistics", "lab-relay",
            ]
        ),
        .testTarget(name: "CoordinationTests", dependencies: ["Coordination", "Lab"]),
        .testTarget(name: "PosixTests", dependencies: ["CLab", "CLinux", "Coordination", "Lab", "Posix"]),
        .testTarget(name: "StatisticsTests", dependencies: ["Statistics"]),
        .testTarget(
            name: "NetlinkTests",
            dependencies: ["CLab", "CLinux", "Coordination", "Lab", "Netlink", "Posix"],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "HTTPTransferTests",
            dependencies: ["CCurl", "CLab", "Coordination", "HTTPTransfer", "Lab", "Posix"]
        ),
        .testTarget(
            name: "ProbingTests",
            dependencies: ["CLab", "Coordination", "HTTPTransfer", "Lab", "Netlink", "Posix", "Probing", "Statistics"]
        ),
        .testTarget(
            name: "NetworkPathTests",
            dependencies: ["CLab", "Coordination", "Lab", "Netlink", "NetworkPath", "Posix"]
        ),
        .testTarget(
            name: "MicroHTTPTests",
            dependencies: ["CMicroHTTPD", "Coordination", "Lab", "MicroHTTP", "Posix"]
        ),
        .testTarget(
            name: "NetworkHealthTests",
            dependencies: [
                "Coordination", "HTTPTransfer", "Lab", "Netlink", "NetworkHealth", "NetworkPath", "Posix", "Probing",
                "SpeedTestCore", "Statistics", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "NetworkHealthExporterTests",
            dependencies: [
                "CMemory", "Coordination", "HTTPTransfer", "Lab", "MicroHTTP", "Netlink", "NetworkHealth",
                "NetworkHealthExporter", "NetworkPath", "OfflineQueue", "Posix", "Probing", "PrometheusExposition",
                "SpeedTestCore", "Statistics", "Storage", "StrictYAML",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // As a program elsewhere sees the products: without what only this package sees.
        .testTarget(
            name: "PublicAPITests",
            dependencies: ["NetworkHealth", "Networking", "NetworkingMocks", "OfflineQueue", "SpeedTestCore"],
            packageAccess: false
        ),
        .executableTarget(name: "lab-relay", path: "Tests/LabRelay"),
        .systemLibrary(name: "CFuzz", path: "Tests/CFuzz"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzz", "Coordination", "HTTPTransfer", "Lab", "MicroHTTP", "Netlink", "NetworkHealthExporter",
                "NetworkPath", "Posix", "Probing", "SpeedTestCore", "Storage", "StrictYAML",
            ],
            path: "Tests/Fuzz",
            exclude: ["Seeds"]
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["Lab", "MicroHTTP", "NetworkHealthExporter", "Statistics", "lab-relay"],
            exclude: ["Fixtures", "Golden"]
        ),
        .testTarget(name: "PrometheusExpositionTests", dependencies: ["Lab", "PrometheusExposition"]),
        .testTarget(
            name: "SpeedTestCoreTests",
            dependencies: [
                "CLab", "Coordination", "HTTPTransfer", "Lab", "Netlink", "Posix", "SpeedTestCore", "Statistics",
            ],
            exclude: ["Fixtures"]
        ),
        .executableTarget(name: "storage-writer", dependencies: ["Storage"], path: "Tests/StorageWriter"),
        .testTarget(
            name: "StorageTests",
            dependencies: ["CLab", "CSQLite", "Coordination", "Lab", "Posix", "Storage", "storage-writer"]
        ),
        .testTarget(
            name: "NetworkingTests",
            dependencies: ["Coordination", "Lab", "MicroHTTP", "Networking", "NetworkingMocks"]
        ),
        .executableTarget(name: "queue-writer", dependencies: ["OfflineQueue"], path: "Tests/QueueWriter"),
        .testTarget(
            name: "OfflineQueueTests",
            dependencies: [
                "Coordination", "HTTPTransfer", "Lab", "MicroHTTP", "OfflineQueue", "Posix", "Storage",
                "queue-writer",
            ]
        ),
        .testTarget(name: "StrictYAMLTests", dependencies: ["Lab", "StrictYAML"]),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335: `any` is visible
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409: an import is no API unless it says so
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444: a file names what it uses
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461: async stays on its caller
            .treatAllWarnings(as: .error),
        ]
}
