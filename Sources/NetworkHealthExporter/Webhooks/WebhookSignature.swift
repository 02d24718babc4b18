import CGnuTLS
import FoundationEssentials

/// Shows a receiver that a webhook comes from someone who knows the secret, and when it was sent.
///
/// `t=1790000000,v1=…`: HMAC-SHA256 (RFC 2104) over the time, a full stop and the body, in hexadecimal digits.
enum WebhookSignature {
    static let header = "X-Network-Health-Signature"

    /// - Parameters:
    ///   - body: as it is sent.
    ///   - secret: known to the receiver.
    ///   - date: the time of this delivery, so that a receiver can refuse an old one.
    /// - Returns: the value of the header; nil where the library has no SHA-256.
    static func value(of body: [UInt8], secret: String, at date: Date) -> String? {
        let time = Int64(date.timeIntervalSince1970)
        let message = Array("\(time).".utf8) + body
        let key = Array(secret.utf8)
        var digest = [UInt8](repeating: 0, count: Int(gnutls_hmac_get_len(GNUTLS_MAC_SHA256)))
        let status = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, message, message.count, &digest)
        guard status == GNUTLS_E_SUCCESS else { return nil }
        return "t=\(time),v1=" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
