import Foundation
import Glibc
import Lab

/// Debian's blackbox_exporter in a network, with modules of a test.
final class BlackboxExporter {
    let program: Program
    /// Where it listens, `HOST:PORT`.
    let address: String
    private let prefix: [String]
    private let folder: TemporaryFolder

    init(modules: String, in namespace: Namespace) async throws {
        prefix = namespace.prefix
        folder = try TemporaryFolder()
        address = "127.0.0.1:\(try Loopback.closedPort())"
        program = try Program(
            prefix + [
                "prometheus-blackbox-exporter", "--config.file=\(folder.write("blackbox.yml", modules))",
                "--web.listen-address=\(address)",
            ]
        )
        let (program, url, prefix) = (program, "http://\(address)/-/healthy", prefix)
        try await poll("blackbox_exporter") {
            guard program.isRunning else { throw Failure(description: "it has ended: \(program.errors)") }
            return try? await HTTPResponse.of(url, prefix: prefix)
        }
    }

    /// Probes a target now.
    func probe(_ target: String, module: String) async throws -> [String: String] {
        let encoded = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let url = "http://\(address)/probe?target=\(encoded)&module=\(module)"
        return try await HTTPResponse.of(url, prefix: prefix).samples
    }

    func stop() async throws {
        program.signal(SIGTERM)
        _ = try await program.status()
    }
}
