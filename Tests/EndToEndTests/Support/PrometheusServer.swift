import Foundation
import Glibc
import Lab

/// A real Prometheus.
final class PrometheusServer {
    let program: Program
    private let port: UInt16
    /// What enters the network that it listens in.
    private let prefix: [String]
    private let folder: TemporaryFolder

    /// Starts it with the repository's sample configuration for one target, and with files of rules where some are given.
    convenience init(target: String, rules: [String] = [], in namespace: Namespace? = nil) async throws {
        let sample = try Repository.text("deploy/prometheus.yml")
        guard sample.contains("localhost:10319"), sample.contains("scrape_interval: 15s") else {
            throw Failure(description: "deploy/prometheus.yml has another target or interval than this test replaces")
        }
        let intervals = ["scrape_interval: 1s", "scrape_timeout: 1s", "evaluation_interval: 1s"]
        let configuration =
            sample.replacing("localhost:10319", with: target)
            .replacing("scrape_interval: 15s", with: intervals.joined(separator: "\n  "))
            + "\nrule_files: [\(rules.joined(separator: ", "))]\n"
        try await self.init(configuration: configuration, in: namespace)
    }

    /// Starts it and waits for its first scrape.
    init(configuration: String, in namespace: Namespace? = nil) async throws {
        prefix = namespace?.prefix ?? []
        folder = try TemporaryFolder()
        port = try Loopback.closedPort()
        program = try Program(
            prefix + [
                "prometheus", "--config.file=\(folder.write("prometheus.yml", configuration))",
                "--storage.tsdb.path=\(folder.path)/data", "--web.listen-address=127.0.0.1:\(port)",
            ]
        )
        let program = program
        try await poll("Prometheus's first scrape") {
            guard program.isRunning else { throw Failure(description: "Prometheus has ended: \(program.errors)") }
            return try? await query("up").first
        }
    }

    func stop() async throws -> Int32 {
        program.signal(SIGTERM)
        return try await program.status()
    }

    /// One series of an instant query.
    struct Series: Decodable {
        var metric: [String: String]
        /// Seconds and text: what JSON has in one array.
        private var value: [Field]

        var number: String { value.last.flatMap(\.text) ?? "" }

        private struct Field: Decodable {
            var text: String?

            init(from decoder: any Decoder) throws {
                text = try? decoder.singleValueContainer().decode(String.self)
            }
        }
    }

    func query(_ expression: String) async throws -> [Series] {
        struct Answer: Decodable {
            struct Result: Decodable { var result: [Series] }
            var data: Result
        }
        let encoded = expression.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await JSONDecoder().decode(Answer.self, from: get("query?query=\(encoded)")).data.result
    }

    /// One rule, with its expression as Prometheus writes it: on one line, with spaces around operators.
    struct Rule: Decodable {
        var name: String
        var query: String
        /// `ok` when its last evaluation succeeded.
        var health: String
    }

    func rules() async throws -> [Rule] {
        struct Answer: Decodable {
            struct Group: Decodable { var rules: [Rule] }
            struct Groups: Decodable { var groups: [Group] }
            var data: Groups
        }
        return try await JSONDecoder().decode(Answer.self, from: get("rules")).data.groups.flatMap(\.rules)
    }

    /// The metric names that Prometheus read from HELP and TYPE: OpenMetrics has counters there without `_total`.
    func describedMetrics() async throws -> Set<String> {
        struct Answer: Decodable {
            struct Metadata: Decodable { var metric: String }
            var data: [Metadata]
        }
        let answer = try await JSONDecoder().decode(Answer.self, from: get("targets/metadata"))
        return Set(answer.data.map(\.metric))
    }

    /// Why the last scrape failed; empty when it did not.
    func lastError() async throws -> String {
        struct Answer: Decodable {
            struct Target: Decodable { var lastError: String }
            struct Targets: Decodable { var activeTargets: [Target] }
            var data: Targets
        }
        let answer = try await JSONDecoder().decode(Answer.self, from: get("targets"))
        return answer.data.activeTargets.map(\.lastError).joined(separator: "\n")
    }

    private func get(_ path: String) async throws -> Data {
        let response = try await HTTPResponse.of("http://127.0.0.1:\(port)/api/v1/\(path)", prefix: prefix)
        guard response.status == 200 else { throw Failure(description: "\(path): \(response)") }
        return Data(response.body.utf8)
    }
}
