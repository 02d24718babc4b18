import HTTPTransfer
import Posix

@testable import Probing

extension ProbeTools {
    /// Tools of a test; what it does not name fails, or does nothing.
    static func make(
        transfers: any HTTPTransferring = FakeTransfers(TransferError(.stopped, phase: .resolve, message: "not faked")),
        resolver: any NameResolving = FakeResolver(),
        readiness: Readiness? = nil
    ) throws -> ProbeTools {
        let readiness = try readiness ?? Readiness(name: "probe-test")
        return ProbeTools(
            transfers: transfers,
            resolver: resolver,
            readiness: readiness,
            pinger: Pinger(readiness: readiness) { _ in },
            handshakes: HandshakeTimer(readiness: readiness)
        )
    }
}

extension Target {
    /// The result of one probe with transfers that a test has prepared.
    func probed(with transfers: FakeTransfers) async throws -> ProbeResult {
        await probe.probe(self, in: ProbeContext(), with: try .make(transfers: transfers))
    }
}
