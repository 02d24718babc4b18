// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "examples",
    dependencies: [
        // A package of your own names a URL and a version instead.
        .package(name: "network-health-exporter", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "examples",
            dependencies: [
                .product(name: "NetworkHealth", package: "network-health-exporter"),
                .product(name: "SpeedTestCore", package: "network-health-exporter"),
            ],
            path: "Sources",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "offline-example",
            dependencies: [
                .product(name: "NetworkHealth", package: "network-health-exporter"),
                .product(name: "Networking", package: "network-health-exporter"),
                .product(name: "OfflineQueue", package: "network-health-exporter"),
            ],
            path: "Offline",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
