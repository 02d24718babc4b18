import HTTPTransfer
import Posix

extension ProbeResult {
    /// What a transfer that brought an answer says, whatever the answer is.
    init(_ response: TransferResponse, for target: Target) {
        self.init(response.statistics, for: target)
        var facts = HTTPFacts(status: response.status, version: response.statistics.httpVersion ?? "")
        facts.contentLength = response.header("content-length").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
        facts.bodyBytes = response.statistics.bodyBytes
        http = facts
    }

    /// What a transfer without an answer says.
    init(_ error: TransferError, for target: Target) {
        self.init(error.statistics, for: target)
        guard let failure = ProbeFailure(error) else {
            isCancelled = true
            return
        }
        // The library tells a device that is gone no differently from a missing route.
        let isDeviceMissing =
            failure == .unreachable && target.interface.map { NetworkDevice.index(of: $0) == nil } ?? false
        self.failure = isDeviceMissing ? .noInterface : failure
        // The reason is told beside it; where a transfer waited is news.
        let text = error.reason == .timeout ? "in phase \(error.phase.rawValue): \(error.message)" : error.message
        detail = isDeviceMissing ? "no device \(target.interface ?? "")" : text
    }

    private init(_ statistics: TransferStatistics, for target: Target) {
        self.init()
        duration = statistics.duration
        phases = statistics.phases
        method = .http
        address = statistics.remoteAddress
        device = target.interface
        certificateExpiry = statistics.certificateExpiry
        sentBytes = statistics.sentBytes
        receivedBytes = statistics.receivedBytes
    }

    /// Makes it a failure; the URL may hold a password, so it is the address that is told.
    mutating func fail(_ failure: ProbeFailure, _ detail: String) {
        self.failure = failure
        self.detail = address.map { "\($0): \(detail)" } ?? detail
    }
}
