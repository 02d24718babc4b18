import FoundationEssentials
package import HTTPTransfer
import Netlink
import Posix

/// The captive portal API (RFC 8908): its request, and how the response is read.
package enum CaptivePortalAPI {
    private static let mediaType = "application/captive+json"
    /// In bytes; a document of five short keys needs no more.
    private static let limit = 4096

    /// The request for the status document at `uri`.
    ///
    /// Any host on the link can announce a URI, so the request reaches no service of this host and follows no redirect.
    package static func request(uri: String) -> TransferRequest {
        var request = TransferRequest(url: uri)
        request.headers = [("Accept", mediaType)]
        request.sink = .collect(limit: limit)
        request.timeout = .seconds(3)
        request.mayConnect = {
            let address = $0.ip.withoutEmbedding
            return address.isRoutable && !address.isOfThisHost
        }
        return request
    }

    /// Asks the API at `uri`; nil where no valid response came within three seconds.
    package static func status(at uri: String, over transfers: any HTTPTransferring) async -> CaptivePortalStatus? {
        guard let response = try? await transfers.perform(request(uri: uri)) else { return nil }
        return status(from: response)
    }

    /// Reads the response; nil where it is not what RFC 8908 demands.
    ///
    /// Unknown keys are ignored.
    package static func status(from response: TransferResponse) -> CaptivePortalStatus? {
        guard response.status == 200, !response.isTruncated, response.body.count <= limit,
            let type = response.header("Content-Type"), isMediaType(type),
            let document = try? JSONDecoder().decode(Document.self, from: Data(response.body))
        else { return nil }
        var status = CaptivePortalStatus(isCaptive: document.captive)
        status.portalURL = document.portalURL.flatMap { PortalAnnouncement.isSecure($0) ? $0 : nil }
        status.secondsRemaining = document.secondsRemaining
        status.bytesRemaining = document.bytesRemaining
        return status
    }

    /// Parameters, such as a charset, do not matter.
    private static func isMediaType(_ value: String) -> Bool {
        let name = value.prefix { $0 != ";" }
        return name.drop { $0 == " " }.split(separator: " ").first.map { $0.lowercased() } == mediaType
    }

    private struct Document: Decodable {
        enum CodingKeys: String, CodingKey {
            case captive
            case portalURL = "user-portal-url"
            case secondsRemaining = "seconds-remaining"
            case bytesRemaining = "bytes-remaining"
        }

        var captive: Bool
        var portalURL: String?
        var secondsRemaining: UInt64?
        var bytesRemaining: UInt64?
    }
}

/// The status of this host in a captive portal's network (RFC 8908).
package struct CaptivePortalStatus: Sendable, Equatable {
    /// Whether the portal requires a login before it forwards traffic.
    package var isCaptive: Bool
    /// The login page, always https.
    package var portalURL: String?
    /// The time until the session ends; nil where not reported.
    package var secondsRemaining: UInt64?
    /// The traffic until the session ends; nil where not reported.
    package var bytesRemaining: UInt64?

    package init(isCaptive: Bool) {
        self.isCaptive = isCaptive
    }
}

/// Reads the answer of a captive portal's API, for the fuzzer; a page that is not https traps.
///
/// - Returns: whether it was accepted.
package func fuzzCaptivePortal(_ bytes: [UInt8]) -> Bool {
    var response = TransferResponse(status: 200)
    response.headers = [("content-type", "application/captive+json")]
    response.body = bytes
    guard let status = CaptivePortalAPI.status(from: response) else { return false }
    precondition(status.portalURL?.lowercased().hasPrefix("https://") ?? true)
    return true
}
