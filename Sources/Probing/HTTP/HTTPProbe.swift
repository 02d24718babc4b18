package import HTTPTransfer
import Posix

/// Requests a URL and expects a status and, optionally, a body.
package struct HTTPProbe: Probe {
    /// Bytes of the body that the pattern is matched against.
    private static let bodyLimit = 64 * 1024

    package static let module = "http"
    package static let failures = ProbeFailure.ofRequests
    package static let defaultTimeout = Duration.seconds(5)

    package var method: TransferRequest.Method = .get
    package var headers: [String: String] = [:]
    /// Empty: any 2xx.
    package var expectedStatus: [Int] = []
    /// A pattern that the first 64 KiB of the body must match; nil: the body is not read.
    package var bodyPattern: BodyPattern?
    package var options = HTTPRequestOptions()

    package init() {}

    package func probe(_ target: Target, in context: ProbeContext, with tools: ProbeTools) async -> ProbeResult {
        var request = TransferRequest(to: target, method: method, headers: headers, options: options)
        if bodyPattern != nil { request.sink = .collect(limit: Self.bodyLimit) }
        do {
            return judge(try await tools.transfers.perform(request), target)
        } catch {
            return ProbeResult(error, for: target)
        }
    }

    private func judge(_ response: TransferResponse, _ target: Target) -> ProbeResult {
        var result = ProbeResult(response, for: target)
        let outcome = bodyPattern?.match(response.body)
        result.http?.bodyMatched = outcome.map { $0 == .matched }

        guard expectedStatus.isEmpty ? 200..<300 ~= response.status : expectedStatus.contains(response.status) else {
            let wanted = expectedStatus.isEmpty ? "2xx" : expectedStatus.map(String.init).joined(separator: ", ")
            result.fail(.status, "status \(response.status), expected \(wanted)")
            return result
        }
        switch outcome {
        case nil, .matched: break
        case .notMatched:
            let part = response.isTruncated ? "first \(Self.bodyLimit) bytes of the body do" : "body does"
            result.fail(.body, "the \(part) not match")
        case .exceeded(let limit):
            result.fail(.body, "matching the body exceeded the limit of \(limit.rawValue)")
        }
        return result
    }
}

/// What http and graphql targets share, named as in Prometheus' configuration.
package struct HTTPRequestOptions: Sendable, Equatable {
    package var tls = TransferTLS()
    package var proxy: String?
    /// `authorization`, `basic_auth`: the value of the header, ready to send; files are read when the target is made.
    package var authorization: String?
    package init() {}
}

extension TransferRequest {
    /// The request for one probe: a connection of its own, and no redirect followed.
    init(to target: Target, method: Method, headers: [String: String], options: HTTPRequestOptions) {
        self.init(url: target.address, method: method)
        self.headers = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        apply(options)
        timeout = target.timeout
        interface = target.interface
        family = target.family
        usesFreshConnection = true
    }

    /// Sets TLS and proxy, and adds the credentials unless the headers have their own.
    package mutating func apply(_ options: HTTPRequestOptions) {
        if let authorization = options.authorization { setDefault("Authorization", authorization) }
        (tls, proxy) = (options.tls, options.proxy)
    }

    /// Adds a header unless there is one of that name.
    mutating func setDefault(_ name: String, _ value: String) {
        guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
        headers.append((name: name, value: value))
    }
}

extension ProbeResult {
    /// The result of a transfer with an answer, before the answer is judged.
    init(_ response: TransferResponse, for target: Target) {
        self.init(response.statistics, for: target)
        var facts = HTTPFacts(status: response.status, version: response.statistics.httpVersion ?? "")
        facts.contentLength = response.header("content-length").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
        facts.lastModified = response.header("last-modified").flatMap(HTTPDate.parse)
        facts.bodyBytes = response.statistics.bodyBytes
        http = facts
    }

    /// The result of a transfer without an answer.
    init(_ error: TransferError, for target: Target) {
        self.init(error.statistics, for: target)
        guard let failure = ProbeFailure(error) else {
            isCancelled = true
            return
        }
        // libcurl reports a missing device like a missing route.
        let isDeviceMissing =
            failure == .unreachable && target.interface.map { NetworkDevice.index(of: $0) == nil } ?? false
        self.failure = isDeviceMissing ? .noInterface : failure
        // The reason is a value of its own; the phase of a timeout is additional, and that this process did not run.
        refusal = error.statistics.routerError.map { Refusal($0) }
        var text = error.reason == .timeout ? "in phase \(error.phase.rawValue): \(error.message)" : error.message
        if error.reason == .timeout, error.statistics.isLate { text += ", and this process ran too late" }
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
        tls = statistics.tls
        sentBytes = statistics.sentBytes
        receivedBytes = statistics.receivedBytes
    }

    /// Makes it a failure; the detail names the address, as the URL may hold a password.
    mutating func fail(_ failure: ProbeFailure, _ detail: String) {
        self.failure = failure
        self.detail = address.map { "\($0): \(detail)" } ?? detail
    }
}
