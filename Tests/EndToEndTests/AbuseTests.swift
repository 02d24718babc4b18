import Foundation
import Lab
import Testing

extension EndToEndTimingTests {
    /// 600 abusive connections, which come again whenever they are disconnected; in the memory of the manifests.
    @Suite(.timeLimit(.minutes(60))) struct Abuse {
        private struct Report: Decodable {
            var failures: [String]
            /// Scrapes in half seconds in which the host took little of the processors.
            var measured: Int
            var median: Double?
            var constantMedian: Double?
            var p99: Double?
            var constantP99: Double?
            /// Of the abusers.
            var connections: Int
            /// Connections that were closed in favour of others.
            var evicted: Double?
            /// Kilobytes of anonymous memory, before and after.
            var before: Int
            var after: Int
            /// Kilobytes, the most that was resident.
            var highest: Int
        }

        /// Where the abusers and the scraper come from.
        enum Place: String, CaseIterable {
            case sameAddress, otherAddress, sameNetwork

            var scraper: String { self == .sameNetwork ? "fd00:18::ffff" : "198.18.0.2" }

            var abusers: [String] {
                switch self {
                case .sameAddress: ["198.18.0.2"]
                case .otherAddress: ["198.18.0.3"]
                case .sameNetwork: (1...20).map { "fd00:18::\(String($0, radix: 16))" }
                }
            }

            var host: String { self == .sameNetwork ? "[fd00:18::9090]" : "198.18.0.1" }
        }

        /// What the abusers do.
        struct Kind: CustomStringConvertible {
            var shapes: [String]
            var usesTLS = false

            var description: String { shapes.joined(separator: " and ") + (usesTLS ? " with TLS" : "") }

            static let mixed = ["waiter", "post", "header", "password"]
            /// Set NHE_ABUSE_SECONDS to 300 for the long form, with NHE_ABUSE_ALONE=waiter,post,header,password one shape after the
            /// other.
            static var all: [Kind] {
                let shapes = alone?.split(separator: ",").map { ["\($0)"] } ?? [["header", "body", "reader"], mixed]
                return shapes.flatMap { [Kind(shapes: $0), Kind(shapes: $0, usesTLS: true)] }
            }
        }

        private static let seconds = ProcessInfo.processInfo.environment["NHE_ABUSE_SECONDS"].flatMap { Int($0) }
        private static let alone = ProcessInfo.processInfo.environment["NHE_ABUSE_ALONE"]
        private static let rejected = "network_health_exporter_http_rejected_total"
        /// Of `secret`.
        private static let users =
            "basic_auth_users: { alice: '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW' }\n"

        @Test(arguments: Kind.all, Place.allCases)
        func `each scrape is answered beside 600 abusers, wherever they come from`(
            kind: Kind,
            place: Place
        ) async throws {
            let folder = try TemporaryFolder()
            let authority = try TestAuthority.shared.get()
            let identity = try authority.sign()
            let usesUsers = kind.shapes.contains("password")
            let web =
                (usesUsers ? Self.users : "")
                + (kind.usesTLS
                    ? "tls_server_config: { cert_file: '\(identity.certificate)', key_file: '\(identity.key)' }\n" : "")
            // A request has one `Authorization` only.
            let token = usesUsers ? "" : ", bearer_token_file: '\(try folder.write("token", "secret"))'"
            let queue = "offline_queue: { enabled: true\(token) }\n"
            let group = try MemoryGroup(limit: 128 << 20)
            try await withNamespace { namespace in
                let addresses =
                    ["198.18.0.1/24", "198.18.0.2/24", "198.18.0.3/24", "fd00:18::9090/64"]
                    + (Place.sameNetwork.abusers + [Place.sameNetwork.scraper]).map { "\($0)/64" }
                try await namespace.ip(addresses.map { "address add \($0) dev lo nodad" }.joined(separator: "\n"))
                let peer = try Nginx.constant(at: "\(place.host):8080", in: namespace)
                let arguments = [
                    "--web.listen-address=\(place.host):9090",
                    "--storage.path=\(folder.path)/network.db",
                    "--web.config.file=\(try folder.write("web.yml", web))",
                ]
                let exporter = try await ExporterProcess(
                    arguments,
                    configuration: ExporterProcess.quiet + queue,
                    in: namespace
                )
                try group.add(exporter.program.identifier)
                let seconds = Self.seconds.map { Self.alone == nil ? $0 : $0 / Kind.mixed.count } ?? 4
                let options: [String: Any] = [
                    "target": "\(place.host):9090", "peer": "\(place.host):8080",
                    "process": exporter.program.identifier,
                    "shapes": kind.shapes, "abusers": place.abusers, "scraper": place.scraper, "seconds": seconds,
                    "tls": kind.usesTLS, "authorization": usesUsers ? "Basic YWxpY2U6c2VjcmV0" : "",
                ]
                let json = String(decoding: try JSONSerialization.data(withJSONObject: options), as: UTF8.self)
                let script = "\(Repository.root)/Tests/EndToEndTests/Fixtures/abuse.py"
                // Up to 30 s of it for the memory.
                let text = try await output(
                    of: namespace.prefix + ["python3", script, json],
                    within: .seconds(12 * seconds + 60)
                )
                let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
                print("abuse by \(kind) from \(place):", report)
                // One a minute.
                #expect(
                    exporter.log.split(separator: "\n").count { $0.contains("limit of its connections") }
                        <= max(3, 2 + seconds / 60)
                )
                #expect(try group.kills == 0)
                let status = try await exporter.stop()
                #expect(status == 0, "\(exporter.log)")
                peer.stop()
                #expect(report.failures == [])
                #expect(report.evicted ?? 0 > 0)
                #expect(report.connections > 600)
                #expect(report.after <= report.before + 4096)
                // Of the 128 MB of the manifests.
                #expect(report.highest < 100_000)
                // In a short run p99 is the slowest of all, which another program may have delayed.
                let (own, constant) =
                    report.measured >= 30
                    ? (report.p99, report.constantP99) : (report.median, report.constantMedian)
                // Without a half second that can be measured there is nothing to compare. With TLS the handshakes of the abusers
                // take both processors, and a scrape has to wait for some of them.
                if let own, let constant { #expect(own < constant + 0.3) }
            }
        }
    }
}
