import Foundation
import HTTPTransfer
import Posix
import Probing
import Testing

struct TLSProbeTests {
    private let target: Target = {
        var tls = TransferTLS()
        tls.serverName = "example.net"
        var target = Target(name: "t", address: "[2001:db8::1]:853", probe: TCPProbe(tls: tls))
        target.timeout = .seconds(3)
        target.family = .ipv6
        target.interface = "eth0"
        return target
    }()

    private let secured: TransferStatistics = {
        var statistics = TransferStatistics()
        statistics.phases.resolve = .milliseconds(1)
        statistics.phases.connect = .milliseconds(2)
        statistics.phases.tls = .milliseconds(4)
        statistics.phases.processing = .seconds(2)
        statistics.duration = .seconds(3)
        statistics.certificateExpiry = Date(timeIntervalSince1970: 1_900_000_000)
        statistics.tls = TLSFacts(version: "TLS 1.2")
        statistics.remoteAddress = IPAddress("2001:db8::1")
        statistics.connectionRTT = .microseconds(1500)
        statistics.sentBytes = 90
        return statistics
    }()

    private func probe(_ outcome: Result<TransferResponse, TransferError>) async throws -> (ProbeResult, FakeTransfers)
    {
        let transfers = FakeTransfers(outcome)
        return (try await target.probed(with: transfers), transfers)
    }

    private func failure(_ reason: TransferError.Reason, _ statistics: TransferStatistics) -> TransferError {
        var error = TransferError(reason, phase: .processing, message: "text")
        error.statistics = statistics
        return error
    }

    @Test(arguments: [(2, 1, false), (1002, 1, true), (1002, 0, false)])
    func `a SYN that was sent again is distinguished from a segment of TLS`(
        connect: Int,
        repeated: UInt64,
        isRepeated: Bool
    ) async throws {
        var statistics = secured
        statistics.phases.connect = .milliseconds(connect)
        statistics.retransmissions = repeated
        let (result, _) = try await probe(.success(TransferResponse(status: 0, statistics: statistics)))
        #expect(result.isSuccess && result.isRepeated == isRepeated && result.rtt == .microseconds(1500))
    }

    @Test func `The request uses a fresh connection, bound and verified as configured`() async throws {
        let (_, transfers) = try await probe(.success(TransferResponse(status: 404, statistics: secured)))
        let request = try #require(transfers.requests.first)
        #expect(transfers.requests.count == 1)
        #expect(request.url == "https://[2001:db8::1]:853/")
        #expect(request.usesFreshConnection && request.onlyConnects)
        #expect(request.tls.serverName == "example.net")
        #expect(request.interface == "eth0" && request.family == .ipv6 && request.timeout == .seconds(3))
    }

    @Test func `Any answer after the handshake is a success that ends with the handshake`() async throws {
        let (result, _) = try await probe(.success(TransferResponse(status: 404, statistics: secured)))
        #expect(result.isSuccess)
        #expect(result.duration == .milliseconds(7))
        #expect(result.phases.tls == .milliseconds(4) && result.phases.processing == nil)
        #expect(result.rtt == .microseconds(1500) && result.method == .tcpHandshake)
        #expect(result.certificateExpiry == secured.certificateExpiry)
        #expect(result.address == IPAddress("2001:db8::1") && result.device == "eth0")
        #expect(result.sentBytes == 90 && result.tls?.version == "TLS 1.2")
    }

    @Test(arguments: [
        (TransferError.Reason.timeout, ProbeFailure.timeout), (.protocolViolation, .protocolViolation),
    ])
    func `A server that accepts and then does not answer, or violates the protocol, is down`(
        reason: TransferError.Reason,
        expected: ProbeFailure
    ) async throws {
        let (result, _) = try await probe(.failure(failure(reason, secured)))
        #expect(result.failure == expected)
        #expect(result.duration == .seconds(3))
    }

    @Test func `a certificate that is not trusted is a failure, with its expiry`() async throws {
        let (result, _) = try await probe(.failure(failure(.tls, secured)))
        #expect(result.failure == .tls)
        #expect(result.certificateExpiry == secured.certificateExpiry)
        #expect(result.duration == .seconds(3))
    }

    @Test(arguments: [
        (TransferError.Reason.resolve, ProbeFailure.resolve), (.refused, .refused), (.unreachable, .unreachable),
        (.timeout, .timeout), (.tls, .tls), (.protocolViolation, .protocolViolation),
    ])
    func `a failure before the handshake is the target's`(
        reason: TransferError.Reason,
        expected: ProbeFailure
    ) async throws {
        let (result, _) = try await probe(.failure(failure(reason, TransferStatistics())))
        #expect(result.failure == expected)
        #expect(result.detail.contains("text"))
        #expect(result.method == nil)
    }

    @Test(arguments: [TransferError.Reason.cancelled, .stopped])
    func `A transfer that this process ended is not a result`(reason: TransferError.Reason) async throws {
        let (result, _) = try await probe(.failure(failure(reason, TransferStatistics())))
        #expect(result.isCancelled)
    }
}
