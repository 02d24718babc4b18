import Foundation
import Lab

/// Another process that makes and deletes veth pairs until it is stopped.
final class Churn {
    private let process: ChildProcess
    private let script: URL

    init(_ namespace: Namespace) throws {
        let turn = "link add c type veth peer name d\naddress add 198.19.0.1/24 dev c\nlink set c up\nlink del c\n"
        script = FileManager.default.temporaryDirectory.appending(path: "\(namespace.name).churn")
        try Data(String(repeating: turn, count: 100_000).utf8).write(to: script)
        process = try ChildProcess(["ip", "-n", namespace.name, "-batch", script.path()])
    }

    func stop() {
        process.end()
        try? FileManager.default.removeItem(at: script)
    }

    deinit { stop() }
}
