import Coordination
import HTTPTransfer
import Lab
import Posix

@testable import Probing

/// A network of answers: what is not named keeps silent until its timeout or the caller gives up.
final class FakeInternet: HTTPTransferring, Connecting, Pinging {
    enum Answer: Sendable {
        case response(TransferResponse)
        case error(TransferError.Reason, TransferError.Phase)
        /// A certificate that is not trusted.
        case untrusted(TransferError.Distrust)
        /// Nothing for the whole timeout, which then passed in this phase.
        case silence(TransferError.Phase)
    }

    struct State: Sendable {
        /// By URL, and by URL and family where these differ (`URL ipv6`).
        var answers: [String: Answer] = [:]
        /// Open ports and living routers; the others keep silent.
        var alive: Set<IPAddress> = []
        /// Addresses to which this machine cannot send.
        var local: Set<IPAddress> = []
        var requests: [TransferRequest] = []
        var connects: [SocketAddress] = []
        var pings: [IPAddress] = []
        /// The largest packet that passes, and those that were sent.
        var mtu = 1500
        var sizes: [Int] = []
    }

    let clock = ManualClock()
    private let state: Locked<State>

    init(_ answers: [String: Answer] = [:], alive: [String] = [], local: [String] = []) {
        let (alive, local) = (alive.compactMap { IPAddress($0) }, local.compactMap { IPAddress($0) })
        state = Locked(State(answers: answers, alive: Set(alive), local: Set(local)))
    }

    var seen: State { state.withLock { $0 } }

    /// `URL family`, sorted.
    var asked: [String] { seen.requests.map { "\($0.url) \($0.family?.rawValue ?? "any")" }.sorted() }

    func change(_ url: String, to answer: Answer) { state.withLock { $0.answers[url] = answer } }

    /// From now on this address answers.
    func revive(_ address: String) { state.withLock { $0.alive.formUnion([IPAddress(address)].compactMap(\.self)) } }

    func perform(_ request: TransferRequest) async throws(TransferError) -> TransferResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers["\(request.url) \(request.family?.rawValue ?? "")"] ?? state.answers[request.url]
        }
        switch answer ?? .silence(.connect) {
        case .response(let response): return response
        case .error(let reason, let phase): throw TransferError(reason, phase: phase, message: request.url)
        case .untrusted(let distrust):
            var error = TransferError(.tls, phase: .tls, message: request.url)
            error.distrust = distrust
            throw error
        case .silence(let phase):
            let isOver = (try? await clock.sleep(for: request.timeout)) != nil
            throw TransferError(isOver ? .timeout : .cancelled, phase: phase, message: request.url)
        }
    }

    func connect(
        to endpoint: SocketAddress,
        interface: String?,
        timeout: Duration
    ) async -> ProbeResult {
        state.withLock { $0.connects.append(endpoint) }
        return await answer(of: endpoint.ip, timeout: timeout)
    }

    func ping(_ gateway: ProbeContext.Gateway, timeout: Duration) async -> ProbeResult {
        state.withLock { $0.pings.append(gateway.address) }
        return await answer(of: gateway.address, timeout: timeout)
    }

    func send(_ size: Int, to address: IPAddress, timeout: Duration) async -> PacketFate {
        state.withLock { state in
            state.sizes.append(size)
            return state.alive.contains(address) && size <= state.mtu ? .answered : .silent
        }
    }

    /// From now on larger packets vanish.
    func shrink(to mtu: Int) { state.withLock { $0.mtu = mtu } }

    private func answer(of address: IPAddress, timeout: Duration) async -> ProbeResult {
        let (isAlive, isLocal) = state.withLock { ($0.alive.contains(address), $0.local.contains(address)) }
        if isLocal { return ProbeResult(failure: .local, detail: "sendto: No buffer space available") }
        guard !isAlive else { return ProbeResult() }
        try? await clock.sleep(for: timeout)
        return ProbeResult(failure: .timeout)
    }
}

extension FakeInternet.Answer {
    static func status(_ status: Int, body: String = "") -> Self {
        var response = TransferResponse(status: status)
        response.body = Array(body.utf8)
        response.statistics.duration = .milliseconds(20)
        response.statistics.phases.connect = .milliseconds(10)
        response.statistics.receivedBytes = 100
        response.statistics.sentBytes = 50
        return .response(response)
    }
}

extension InternetConfiguration {
    /// Two checks, one HTTPS host, a literal of each family.
    static var lab: InternetConfiguration {
        var configuration = InternetConfiguration()
        configuration.probes = [
            Check(name: "first", url: "http://first.example/204", expectation: .status(204)),
            Check(name: "second", url: "http://second.example/", expectation: .bodyPrefix("success")),
        ]
        configuration.https = ["https://third.example/"]
        configuration.literals = ["198.18.0.1:443", "[2001:db8::1]:443"].compactMap { SocketAddress($0) }
        return configuration
    }
}
