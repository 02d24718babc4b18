import Foundation

/// Where things lie in the checkout.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path
    static let tests = "\(root)/Tests/EndToEndTests"

    /// What `scripts/test` built for the end-to-end tests, else the debug product beside this test bundle.
    static let executable: String = {
        if let given = ProcessInfo.processInfo.environment["NHE_EXECUTABLE"], !given.isEmpty { return given }
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appendingPathComponent("network-health-exporter").path
    }()

    /// The lab's relay, which is built with the tests.
    static let relay = ProcessInfo.processInfo.environment["NHE_LAB_RELAY"] ?? "\(root)/.build/debug/lab-relay"

    /// The sample package's product; where it was not built, the path leads nowhere.
    static let examples = ProcessInfo.processInfo.environment["NHE_EXAMPLES"] ?? "\(root)/.build/debug/examples"

    /// The second one of the sample package.
    static let offlineExample = URL(fileURLWithPath: examples).deletingLastPathComponent()
        .appendingPathComponent("offline-example").path

    static func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(file)")), as: UTF8.self)
    }
}
