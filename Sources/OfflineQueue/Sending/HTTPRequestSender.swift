import FoundationEssentials
package import HTTPTransfer
import Posix

/// Sends with libcurl, on a thread of its own.
///
/// Redirects are not followed, and proxies of the environment are not used: a request goes to its own host, or nowhere.
public struct HTTPRequestSender: RequestSender {
    private let loop: Result<TransferLoop, SystemError>
    private let rule: ConnectionRule
    private let timeout: Duration
    private let answerLimit: Int

    /// A sender, which starts its thread.
    ///
    /// - Parameters:
    ///   - rule: The addresses that it may connect to.
    ///   - timeout: From the start of a try to the last byte of its answer.
    ///   - answerLimit: Bytes of an answer's body that are read.
    ///   - userAgent: The header `User-Agent` of requests that have none.
    public init(
        rule: ConnectionRule = .any,
        timeout: Duration = .seconds(30),
        answerLimit: Int = 16_777_216,
        userAgent: String = "network-health"
    ) {
        loop = Result { () throws(SystemError) in try TransferLoop(name: "queue", userAgent: userAgent) }
        self.rule = rule
        self.timeout = timeout
        self.answerLimit = answerLimit
    }

    /// Applies the rule to the address in a URL; that of a name is known only when the request is sent.
    public func check(_ request: RetryableRequest) throws(OfflineError) {
        guard let url = WebURL(request.endpoint), let address = IPAddress(url.host) else { return }
        guard rule.allows(request, SocketAddress(address, port: url.port)) else {
            throw .forbidden("\(address) port \(url.port) is not allowed")
        }
    }

    /// Sends a request; throws where no complete answer came.
    public func send(_ request: RetryableRequest) async throws -> DeliveryResponse {
        try check(request)
        var transfer = try TransferRequest(request)
        transfer.mayConnect = { [rule] in rule.allows(request, $0) }
        return try await loop.get().deliver(transfer, timeout: timeout, answerLimit: answerLimit)
    }
}

extension TransferLoop {
    /// Sends a request once; a rule for addresses that forbids it has an error of its own.
    ///
    /// - Parameters:
    ///   - transfer: the request, with its rule for addresses and its credentials.
    ///   - timeout: from the start to the last byte of the answer.
    ///   - answerLimit: bytes of the answer's body that are read.
    /// - Returns: the answer, whatever its status.
    /// - Throws: where no complete answer came.
    package func deliver(
        _ transfer: TransferRequest,
        timeout: Duration,
        answerLimit: Int
    ) async throws -> DeliveryResponse {
        var transfer = transfer
        transfer.sink = .collect(limit: answerLimit)
        transfer.timeout = timeout
        transfer.connectTimeout = min(timeout, .seconds(10))
        let response: TransferResponse
        do {
            response = try await perform(transfer)
        } catch {
            guard error.reason == .forbidden else { throw error }
            throw OfflineError.forbiddenAddress(error.message)
        }
        return DeliveryResponse(
            statusCode: response.status,
            retryAfter: response.header("retry-after").flatMap { RetryAfter.delay($0, from: Date()) },
            body: Data(response.body),
            isTruncated: response.isTruncated
        )
    }
}
