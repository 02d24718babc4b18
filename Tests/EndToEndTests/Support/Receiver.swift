import Foundation
import Glibc

/// A web server in a namespace that keeps what it gets.
final class Receiver {
    struct Received: Decodable {
        var method: String
        var path: String
        var headers: [String: String]
        var body: String
        /// When it arrived, in seconds since 1970.
        var time: Double

        /// The parts `t` and `v1` of the signature; empty without one.
        var signatureTime: String { part("t") }
        var signature: String { part("v1") }

        private func part(_ name: String) -> String {
            let parts = (headers["x-network-health-signature"] ?? "").split(separator: ",")
            return parts.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) } ?? ""
        }
    }

    let address: String
    private let program: Program

    /// - Parameters:
    ///   - address: where it listens, `HOST:PORT`.
    ///   - namespace: in whose network.
    /// - Throws: `Failure` where it does not start.
    init(_ address: String, in namespace: Namespace) async throws {
        self.address = address
        let place = address.split(separator: ":").map(String.init)
        let script = "\(Repository.root)/Tests/EndToEndTests/Fixtures/receiver.py"
        program = try Program(namespace.prefix + ["python3", script] + place)
        let program = program
        try await poll("the receiver") {
            guard program.isRunning else { throw Failure(description: "the receiver has ended: \(program.errors)") }
            return try? await HTTPResponse.of("http://\(address)/", prefix: namespace.prefix)
        }
    }

    /// In the order of their arrival.
    var received: [Received] {
        program.output.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Received.self, from: Data($0.utf8))
        }
    }

    /// How many have arrived.
    var count: Int { program.output.utf8.count { $0 == UInt8(ascii: "\n") } }

    /// Waits until a number of requests has arrived.
    func wait(for count: Int, within limit: Duration = .seconds(20)) async throws -> [Received] {
        try await poll("\(count) requests", within: limit) {
            let received = received
            return received.count >= count ? received : nil
        }
    }

    func stop() async throws {
        program.signal(SIGTERM)
        _ = try await program.status()
    }
}
