import FoundationEssentials
import HTTPTransfer
import OfflineQueue
import Posix
import Probing

/// Sends what waits in the queue: requests of applications to the hosts that are allowed, and webhooks to their receivers.
///
/// Credentials come from the configuration at each try, so that none is stored. Redirects are not followed.
struct QueueSender: RequestSender {
    /// From the start of a try to the last byte of its answer.
    private static let timeout = Duration.seconds(30)
    /// Bytes of an answer that are read; nothing of it is kept.
    private static let answerLimit = 65_536

    let configuration: @Sendable () -> Configuration
    let loop: TransferLoop
    let activity: QueueActivity
    let webhookFailures: WebhookFailureReporter

    /// An application's request must go to an allowed host.
    func check(_ request: RetryableRequest) throws(OfflineError) {
        if request.requestType != Webhook.requestType { _ = try configuration().offlineQueue.allowedHost(of: request) }
    }

    func send(_ request: RetryableRequest) async throws -> DeliveryResponse {
        do {
            let response = try await loop.deliver(
                try transfer(of: request),
                timeout: Self.timeout,
                answerLimit: Self.answerLimit
            )
            if !(200..<300).contains(response.statusCode) {
                failed(request, "the receiver answered with status \(response.statusCode)")
            }
            return response
        } catch {
            failed(request, "\(error)")
            throw error
        }
    }

    private func failed(_ request: RetryableRequest, _ reason: String) {
        if Task.isCancelled { return }
        if request.requestType == Webhook.requestType {
            webhookFailures.failed(request, reason)
        } else {
            activity.failed(request.id)
        }
    }

    /// With the credentials of the configuration.
    private func transfer(of request: RetryableRequest) throws(OfflineError) -> TransferRequest {
        let configuration = configuration()
        var transfer = try TransferRequest(request)
        if request.requestType == Webhook.requestType {
            guard let webhook = configuration.webhooks.receiver(of: request) else {
                throw OfflineError.forbidden("its receiver is no longer configured")
            }
            webhook.complete(&transfer, request.body.map(Array.init) ?? [], at: .now)
        } else {
            try configuration.offlineQueue.allowedHost(of: request).complete(&transfer)
        }
        return transfer
    }
}

extension Webhook {
    /// Marks the queue's webhooks; an application's request cannot have it.
    static let requestType = "network-health-webhook"

    fileprivate func complete(_ transfer: inout TransferRequest, _ body: [UInt8], at date: Date) {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { transfer.setHeader(name, value) }
        transfer.apply(request)
        if let secret, let signature = WebhookSignature.value(of: body, secret: secret, at: date) {
            transfer.setHeader(WebhookSignature.header, signature)
        }
    }
}

extension OfflineQueueSection.AllowedHost {
    fileprivate func complete(_ transfer: inout TransferRequest) {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { transfer.setHeader(name, value) }
        let listed = IPAddress(host)
        transfer.mayConnect = { [allowsPrivate] address in
            allowsPrivate || address.ip == listed || GlobalAddresses.standard.containsElsewhere(address.ip)
        }
    }
}

extension OfflineQueueSection {
    /// The entry for a request.
    ///
    /// - Throws: `forbidden` where it may not be sent, with the key that does not allow it.
    fileprivate func allowedHost(of request: RetryableRequest) throws(OfflineError) -> AllowedHost {
        let name = "offline_queue.allowed_hosts"
        // A host has one entry.
        guard let url = WebURL(request.endpoint),
            let allowed = allowedHosts.first(where: { $0.host == url.host.lowercased() })
        else { throw .forbidden("the host is not in \(name): \(request.method) \(request.shownURL)") }
        // The scheme first: it decides the port of a URL without one.
        guard allowed.schemes.contains(url.scheme) else {
            throw .forbidden("\(url.scheme) is not in \(name)[].schemes of \(allowed.host): \(request.shownURL)")
        }
        guard allowed.ports.contains(Int(url.port)) else {
            throw .forbidden("port \(url.port) is not in \(name)[].ports of \(allowed.host): \(request.shownURL)")
        }
        guard allowed.methods.contains(request.method) else {
            throw .forbidden(
                "\(request.method) is not in \(name)[].methods of \(allowed.host): \(request.shownURL)"
            )
        }
        guard
            allowed.paths.isEmpty
                || RequestPath.isPlain(url.path) && allowed.paths.contains(where: { RequestPath.isBelow(url.path, $0) })
        else {
            throw .forbidden("the path is not below one of \(name)[].paths of \(allowed.host): \(request.shownURL)")
        }
        return allowed
    }
}

extension RetryableRequest {
    /// Its URL without user info and query, which may be credentials, and with escapes of what is not ASCII, for terminals.
    var shownURL: String {
        guard let url = WebURL(endpoint) else { return "" }
        return (url.origin + url.path).utf8.map { byte in
            byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        .joined()
    }
}

extension TransferRequest {
    /// Replaces the headers of that name.
    fileprivate mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        headers.append((name: name, value: value))
    }
}
