import Foundation
import Glibc
import Lab

/// Debian's Alertmanager with the repository's example, which notifies a receiver of the test.
final class Alertmanager {
    /// An alert as Alertmanager has it.
    struct Alert: Decodable {
        struct Status: Decodable {
            /// `active`, `suppressed` or `unprocessed`.
            var state: String
            /// The fingerprints of the alerts that inhibit it.
            var inhibitedBy: [String]
        }

        var labels: [String: String]
        var status: Status
    }

    /// Where Prometheus sends alerts, `HOST:PORT`.
    let address: String
    let program: Program
    private let prefix: [String]
    private let folder: TemporaryFolder

    init(notifying receiver: String, in namespace: Namespace) async throws {
        let example = try Repository.text("grafana/alerts/inhibit.example.yml")
        guard example.contains("localhost:9095"), example.contains("group_wait: 30s") else {
            throw Failure(description: "inhibit.example.yml has another receiver or wait than this test replaces")
        }
        // A group is a target, so that each has a notification of its own.
        let configuration = example.replacing("localhost:9095", with: receiver)
            .replacing("group_wait: 30s", with: "group_wait: 1s").replacing("alertname]", with: "alertname, target]")
        prefix = namespace.prefix
        folder = try TemporaryFolder()
        address = "127.0.0.1:\(try Loopback.closedPort())"
        program = try Program(
            prefix + [
                "prometheus-alertmanager", "--config.file=\(folder.write("alertmanager.yml", configuration))",
                "--storage.path=\(folder.path)/data", "--web.listen-address=\(address)", "--cluster.listen-address=",
            ]
        )
        let (program, url, prefix) = (program, "http://\(address)/-/ready", prefix)
        try await poll("Alertmanager") {
            guard program.isRunning else { throw Failure(description: "Alertmanager has ended: \(program.errors)") }
            return try? await HTTPResponse.of(url, prefix: prefix)
        }
    }

    /// Those that have not ended.
    func alerts() async throws -> [Alert] {
        let response = try await HTTPResponse.of("http://\(address)/api/v2/alerts", prefix: prefix)
        guard response.status == 200 else { throw Failure(description: "\(response)") }
        return try JSONDecoder().decode([Alert].self, from: Data(response.body.utf8))
    }

    func stop() async throws {
        program.signal(SIGTERM)
        _ = try await program.status()
    }
}

extension Receiver {
    /// The alerts of Alertmanager's notifications, in the order of their arrival.
    var notified: [[String: String]] {
        struct Notification: Decodable {
            struct Alert: Decodable { var labels: [String: String] }
            var alerts: [Alert]
        }
        return received.compactMap { try? JSONDecoder().decode(Notification.self, from: Data($0.body.utf8)) }
            .flatMap { $0.alerts.map(\.labels) }
    }
}
