import Foundation
import Glibc
import Lab

/// Another process that makes and deletes veth pairs until it is stopped.
final class Churn {
    private let process = Process()
    private let script: URL

    init(_ namespace: Namespace) throws {
        let turn = "link add c type veth peer name d\naddress add 198.19.0.1/24 dev c\nlink set c up\nlink del c\n"
        script = FileManager.default.temporaryDirectory.appending(path: "\(namespace.name).churn")
        try Data(String(repeating: turn, count: 100_000).utf8).write(to: script)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["ip", "-n", namespace.name, "-batch", script.path()]
        try process.run()
    }

    func stop() {
        guard process.isRunning else { return }
        // It inherits the blocked signals of a worker thread, so SIGTERM would wait for ever.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: script)
    }

    deinit { stop() }
}
