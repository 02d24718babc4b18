import HTTPTransfer
import Posix

/// One query on its way to one server and back.
struct DNSExchange: Sendable {
    let query: DNSQuery
    let server: DNSServer
    let deadline: ContinuousClock.Instant
    let readiness: Readiness

    /// Sends the query over UDP and, if the answer is truncated, over TCP in the remaining time (RFC 7766).
    ///
    /// Adds the bytes and phases to `result`, also on failure. Of the phases, `processing` is the wait for the answer
    /// over UDP and TCP together; `connect` and `transfer` are those of TCP.
    func run(_ result: inout ProbeResult) async throws(DNSProbeError) -> DNSResponse {
        let response = try await askOverDatagram(&result)
        return response.isTruncated ? try await askOverStream(&result) : response
    }

    private func askOverDatagram(_ result: inout ProbeResult) async throws(DNSProbeError) -> DNSResponse {
        let start = ContinuousClock.now
        let socket = try DNSSocket(SocketType.datagram, to: server)
        result.method = .udp
        result.sentBytes += UInt64(try socket.send(query.encoded()[...]))
        var ignored = ""
        while true {
            try await wait(for: socket.number, .readable, butFor: ignored)
            guard let received = try socket.receive() else { continue }
            result.receivedBytes += UInt64(received.count)
            do throws(DNSMessageError) {
                let response = try DNSResponse(received.span.bytes, to: query)
                result.phases.processing = .now - start
                return response
            } catch .foreign(let what) {
                // Such a datagram can be forged; the answer of the server may still come.
                ignored = " but \(what)"
            } catch {
                throw DNSProbeError(.protocolViolation, error.description)
            }
        }
    }

    private func askOverStream(_ result: inout ProbeResult) async throws(DNSProbeError) -> DNSResponse {
        var mark = ContinuousClock.now
        let socket = try DNSSocket(SocketType.stream, to: server)
        result.method = .tcp
        try await wait(for: socket.number, .writable)
        try socket.checkConnection()
        result.phases.connect = mark.lap()
        var rest = query.encodedForStream()[...]
        while !rest.isEmpty {
            try await wait(for: socket.number, .writable)
            let count = try socket.send(rest)
            rest = rest.dropFirst(count)
            result.sentBytes += UInt64(count)
        }
        var stream: [UInt8] = []
        while true {
            try await wait(for: socket.number, .readable)
            guard let received = try socket.receive() else { continue }
            guard !received.isEmpty else { throw DNSProbeError(.protocolViolation, "closed within the answer") }
            if stream.isEmpty { result.phases.processing = (result.phases.processing ?? .zero) + mark.lap() }
            stream += received
            result.receivedBytes += UInt64(received.count)
            guard let response = try response(in: stream) else { continue }
            result.phases.transfer = mark.lap()
            return response
        }
    }

    /// The answer after its length (RFC 1035 4.2.2); nil while it is not complete.
    private func response(in stream: [UInt8]) throws(DNSProbeError) -> DNSResponse? {
        let bytes = stream.span.bytes
        var reader = DNSReader()
        guard let length = try? Int(reader.number(in: bytes)), bytes.byteCount - reader.offset >= length
        else { return nil }
        let response: DNSResponse
        do throws(DNSMessageError) {
            response = try DNSResponse(bytes.extracting(reader.offset..<reader.offset + length), to: query)
        } catch {
            throw DNSProbeError(.protocolViolation, error.description)
        }
        guard !response.isTruncated else { throw DNSProbeError(.protocolViolation, "truncated over TCP too") }
        return response
    }

    private func wait(
        for descriptor: Int32,
        _ event: Readiness.Event,
        butFor ignored: String = ""
    ) async throws(DNSProbeError) {
        // A socket can be ready after the deadline, too: without the first condition, a flood of datagrams would never
        // end.
        guard deadline > .now, await readiness.wait(for: descriptor, event, until: deadline) else {
            throw DNSProbeError(.timeout, Task.isCancelled ? "cancelled" : "no answer in time\(ignored)")
        }
    }
}

extension ContinuousClock.Instant {
    /// Returns the time since the last lap and starts the next.
    fileprivate mutating func lap() -> Duration {
        let now = ContinuousClock.now
        defer { self = now }
        return now - self
    }
}

/// Why a DNS probe failed, with words for people.
struct DNSProbeError: Error, Equatable {
    var failure: ProbeFailure
    var detail: String
    /// The ICMP error that was the cause.
    var refusal: Refusal?

    init(_ failure: ProbeFailure, _ detail: String) {
        self.failure = failure
        self.detail = detail
    }

    /// An error of the kernel, possibly caused by an ICMP error of a router.
    init(_ error: SystemError) {
        self.init(ProbeFailure(errno: error.code), error.description)
    }
}
