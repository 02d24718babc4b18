import FoundationEssentials
import HTTPTransfer
import Posix

/// Queries a locate service (M-Lab's locate v2) for the nearest servers.
struct NDT7Locator {
    let address: WebURL
    let interface: String?
    let tls: TransferTLS
    let userAgent: String
    let timeout: Duration

    /// Queries once: after a refusal a client has to wait.
    func choice(account: TrafficAccount) async throws(SpeedTestFailure) -> NDT7Choice {
        let response = try await ask(account)
        guard response.status == 200 else {
            throw SpeedTestFailure(ndt7: SpeedTestResponse(response), host: address.authority)
        }
        guard !response.isTruncated, let found = NDT7Candidate.located(in: response.body) else {
            throw SpeedTestFailure(.status, "\(address.authority): its answer names no servers")
        }
        guard !found.isEmpty else {
            throw SpeedTestFailure(ndt7: SpeedTestResponse(status: 204), host: address.authority)
        }
        return NDT7Choice(candidates: found, locator: response.statistics.remoteAddress)
    }

    private func ask(_ account: TrafficAccount) async throws(SpeedTestFailure) -> TransferResponse {
        var request = TransferRequest(url: address.description)
        request.sink = .collect(limit: 262_144)
        request.timeout = timeout
        request.interface = interface
        request.tls = tls
        request.mayConnect = { [interface] address in
            account.device.willConnect(to: address, through: interface)
            return true
        }
        let loop: TransferLoop
        do {
            loop = try TransferLoop(name: "nhe-ndt7-locate", userAgent: userAgent)
        } catch {
            throw SpeedTestFailure(.unreachable, "\(error)")
        }
        defer {
            account.add(loop.carried)
            loop.stop()
        }
        do throws(TransferError) {
            return try await loop.perform(request)
        } catch {
            throw SpeedTestFailure(connection: error)
        }
    }
}

/// A server of a test, with the address of each direction.
struct NDT7Candidate: Sendable, Equatable {
    let download: WebURL
    let upload: WebURL

    subscript(direction: Direction) -> WebURL { direction == .download ? download : upload }

    /// Both directions below one base.
    init(base: WebURL) {
        download = base.test(.download)
        upload = base.test(.upload)
    }

    /// Parses the answer of a locate service, in its order; with TLS where it offers both.
    ///
    /// - Returns: empty where it names no server, nil for any other answer.
    static func located(in json: [UInt8]) -> [Self]? {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(json)) else { return nil }
        return (answer.results ?? []).compactMap { Self($0.urls) }
    }

    /// - Parameter urls: such as `wss:///ndt/v7/download` and the whole URL, its token included.
    private init?(_ urls: [String: String]) {
        func address(_ direction: Direction) -> WebURL? {
            (urls["wss://\(NDT7.path(direction))"] ?? urls["ws://\(NDT7.path(direction))"]).flatMap { WebURL(ndt7: $0) }
        }
        guard let download = address(.download), let upload = address(.upload) else { return nil }
        self.download = download
        self.upload = upload
    }

    private struct Answer: Decodable {
        var results: [Server]?
    }

    private struct Server: Decodable {
        var urls: [String: String]
    }
}

/// The server that a test uses, of several, and its address.
struct NDT7Choice: Sendable {
    private let candidates: [NDT7Candidate]
    /// The address of the service that named them; nil without one.
    private let locator: IPAddress?
    private var index = 0
    /// The address of its connections; nil before the first.
    var address: IPAddress?

    init(candidates: [NDT7Candidate] = [], locator: IPAddress? = nil) {
        (self.candidates, self.locator) = (candidates, locator)
    }

    /// Whether a connection may lead there; see `PinnedAddresses`.
    func permits(_ address: IPAddress) -> Bool {
        locator.map { PinnedAddresses.mayRefer($0, to: address) } ?? true
    }

    var current: NDT7Candidate? { index < candidates.count ? candidates[index] : nil }

    /// Moves to the next server; false at the last one, which stays.
    mutating func moveOn() -> Bool {
        guard index + 1 < candidates.count else { return false }
        index += 1
        address = nil
        return true
    }
}
