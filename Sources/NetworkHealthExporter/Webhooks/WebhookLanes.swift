import HTTPTransfer
import OfflineQueue
import Probing

extension [Webhook] {
    /// The ordering key of the messages of each, by which its receiver is found again after a reload.
    ///
    /// Several webhooks may have one URL, each with credentials of its own: their keys say so.
    var lanes: [String] {
        zip(self, identities).map { webhook, identity in
            let isAlone = count(where: { $0.url == webhook.url }) == 1
            return isAlone ? identity : Webhook.sharedURL + identity
        }
    }

    /// The webhook whose message waits in the queue, with its credentials of now.
    ///
    /// If a URL had one webhook and still has one, a message is sent to that one, even if it was changed since. A message of one of several
    /// webhooks is never sent by another one, whose credentials are different.
    ///
    /// - Returns: nil where there is none any more.
    func receiver(of request: RetryableRequest) -> Webhook? {
        let same = zip(self, identities).filter { $0.0.url == request.endpoint }
        let key = request.orderingKey ?? ""
        if let own = same.first(where: { key == $0.1 || key == Webhook.sharedURL + $0.1 }) { return own.0 }
        return same.count == 1 && !key.hasPrefix(Webhook.sharedURL) ? same.first?.0 : nil
    }

    /// A key for each webhook that does not depend on its place in the file.
    ///
    /// Webhooks with the same digest are numbered in their order.
    var identities: [String] {
        let all = map { "webhook \($0.digest) \($0.url)" }
        return all.indices.map { index in
            let earlier = all[..<index].count(where: { $0 == all[index] })
            return earlier == 0 ? all[index] : "\(all[index]) \(earlier + 1)"
        }
    }
}

extension Webhook {
    /// The beginning of a key of one of several webhooks with one URL.
    fileprivate static let sharedURL = "shared "

    /// A digest of the settings in which webhooks with one URL may differ (FNV-1a of 64 bits).
    ///
    /// It contains which credentials there are, and no value of them: waiting messages are sent with renewed values.
    fileprivate var digest: String {
        var parts: [String] = events.map(\.rawValue).sorted() + headers.keys.map { $0.lowercased() }.sorted()
        parts += [requirement ?? "", contentType, body?.source ?? "", request.tls.certificateFile ?? ""]
        parts += ["\(minOutage)", "\(secret != nil)", "\(request.authorization != nil)"]
        let hash = parts.joined(separator: "\n").utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}
