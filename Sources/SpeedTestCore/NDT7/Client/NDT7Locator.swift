import HTTPTransfer

/// Asks a locate service (M-Lab's locate v2) which servers are near.
struct NDT7Locator {
    let address: WebURL
    let interface: String?
    let tls: TransferTLS
    let userAgent: String
    let timeout: Duration

    /// Asks once: who is refused has to wait.
    func candidates(account: TrafficAccount) async throws(SpeedTestFailure) -> [NDT7Candidate] {
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
        return found
    }

    private func ask(_ account: TrafficAccount) async throws(SpeedTestFailure) -> TransferResponse {
        var request = TransferRequest(url: address.description)
        request.sink = .collect(limit: 262_144)
        request.timeout = timeout
        request.interface = interface
        request.tls = tls
        let loop: TransferLoop
        do {
            loop = try TransferLoop(name: "nhe-ndt7-locate", userAgent: userAgent)
        } catch {
            throw SpeedTestFailure(.unreachable, "\(error)")
        }
        defer { loop.stop() }
        do throws(TransferError) {
            let response = try await loop.perform(request)
            add(response.statistics, to: account)
            return response
        } catch {
            add(error.statistics, to: account)
            throw SpeedTestFailure(connection: error)
        }
    }

    private func add(_ statistics: TransferStatistics, to account: TrafficAccount) {
        account.add(received: statistics.receivedBytes, transmitted: statistics.sentBytes)
    }
}
