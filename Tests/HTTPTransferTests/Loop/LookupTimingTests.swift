import HTTPTransfer
import Posix
import Testing

/// Lookups that end after the deadline of their transfer.
///
/// They run alone: the loop waits one second for them.
@Suite(.timeLimit(.minutes(1)))
struct LookupTimingTests {
    @Test func `A limit of this machine that ends a lookup is the reason, also where it comes after the deadline`()
        async throws
    {
        let names = RecordingResolver([:], failure: .localLimit)
        try await withLoop(resolver: names) { loop async throws in
            let request = TransferRequest(url: "http://name.test/").with { $0.timeout = .milliseconds(20) }
            let error = try await failure(of: request, on: loop)
            #expect(error.reason == .local && error.phase == .resolve, "\(error)")
        }
    }

    @Test func `An address that comes after the deadline is too late for a connection, and no server is to blame`()
        async throws
    {
        try await withLoop(resolver: LateResolver()) { loop async throws in
            let request = TransferRequest(url: "http://name.test/").with { $0.timeout = .milliseconds(20) }
            let error = try await failure(of: request, on: loop)
            #expect(error.reason == .local && error.phase == .resolve, "\(error)")
        }
    }

    @Test func `A resolver that does not end in time holds a transfer up for a second only`() async throws {
        let names = RecordingResolver([:], delay: .seconds(3600), failure: .localLimit)
        try await withLoop(resolver: names) { loop async throws in
            let request = TransferRequest(url: "http://name.test/").with { $0.timeout = .milliseconds(20) }
            let start = ContinuousClock.now
            let error = try await failure(of: request, on: loop)
            let length = start.duration(to: .now)
            #expect(error.reason == .timeout && error.phase == .resolve, "\(error)")
            #expect(length >= .milliseconds(1020) && length < .seconds(10), "\(length)")
        }
    }
}

/// Has an address when the time is over, as where the process is stopped meanwhile.
private struct LateResolver: NameResolving {
    func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(LookupError) -> [SocketAddress] {
        try? await Task.sleep(until: deadline + .milliseconds(20), clock: .continuous)
        return try SocketAddress(literal: "127.0.0.1").map { [$0] } ?? []
    }
}
