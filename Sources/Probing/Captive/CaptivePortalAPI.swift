import FoundationEssentials
package import HTTPTransfer
import Posix

/// The captive portal API (RFC 8908): what is asked, and how the answer is read.
package enum CaptivePortalAPI {
    private static let mediaType = "application/captive+json"
    /// In bytes; a document of five short keys needs no more.
    private static let limit = 4096

    /// The request for the status document at `uri`.
    ///
    /// Anybody on the link can announce a URI, so it leads neither to this host's own services nor any further.
    package static func request(uri: String) -> TransferRequest {
        var request = TransferRequest(url: uri)
        request.headers = [("Accept", mediaType)]
        request.sink = .collect(limit: limit)
        request.timeout = .seconds(3)
        request.maxRedirects = 0
        request.mayConnect = { ($0.ip.mappedIPv4 ?? $0.ip).isRoutable }
        return request
    }

    /// Reads the answer; nil where it is not what RFC 8908 demands.
    ///
    /// Unknown keys are ignored.
    package static func status(from response: TransferResponse) -> CaptivePortalStatus? {
        guard response.status == 200, !response.isTruncated, response.body.count <= limit,
            let type = response.header("Content-Type"), isMediaType(type),
            let document = try? JSONDecoder().decode(Document.self, from: Data(response.body))
        else { return nil }
        var status = CaptivePortalStatus(isCaptive: document.captive)
        status.portalURL = document.portalURL.flatMap { isSecure($0) ? $0 : nil }
        status.secondsRemaining = document.secondsRemaining
        status.bytesRemaining = document.bytesRemaining
        return status
    }

    /// Whether a URI is an https one with something after the slashes.
    static func isSecure(_ uri: String) -> Bool {
        let scheme = "https://"
        return uri.utf8.count > scheme.utf8.count && uri.prefix(scheme.count).lowercased() == scheme
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
