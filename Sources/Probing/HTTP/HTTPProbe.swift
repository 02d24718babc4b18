package import HTTPTransfer

/// Asks for a URL, and expects a status and, where wanted, a body.
package struct HTTPProbe: Probe {
    /// In bytes: how much of a body is looked at.
    private static let bodyLimit = 64 * 1024

    private let transfers: any HTTPTransferring

    package init(_ transfers: any HTTPTransferring) {
        self.transfers = transfers
    }

    package func probe(_ target: Target, in surroundings: ProbeSurroundings) async -> ProbeResult {
        guard case .http(let options) = target.options else {
            return ProbeResult(failure: .protocolViolation, detail: "\(target.name) is no http target")
        }
        var request = TransferRequest(
            to: target,
            method: options.method,
            headers: options.headers,
            options: options.request
        )
        if options.bodyPattern != nil { request.sink = .collect(limit: Self.bodyLimit) }
        do {
            return Self.judge(try await transfers.perform(request), target, options)
        } catch {
            return ProbeResult(error, for: target)
        }
    }

    private static func judge(_ response: TransferResponse, _ target: Target, _ options: HTTPOptions) -> ProbeResult {
        var result = ProbeResult(response, for: target)
        let outcome = options.bodyPattern?.match(response.body)
        result.http?.bodyMatched = outcome.map { $0 == .matched }

        let expected = options.expectedStatus
        guard expected.isEmpty ? 200..<300 ~= response.status : expected.contains(response.status) else {
            let wanted = expected.isEmpty ? "2xx" : expected.map(String.init).joined(separator: ", ")
            result.fail(.status, "status \(response.status), expected \(wanted)")
            return result
        }
        switch outcome {
        case nil, .matched: break
        case .notMatched:
            let part = response.isTruncated ? "first \(bodyLimit) bytes of the body do" : "body does"
            result.fail(.body, "the \(part) not match")
        case .exceeded(let limit):
            result.fail(.body, "gave up matching the body at the limit of \(limit.rawValue)")
        }
        return result
    }
}
