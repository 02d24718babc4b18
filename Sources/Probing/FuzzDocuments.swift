import HTTPTransfer
import Netlink
import Posix

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

/// Reads the option by which a router announces a portal, for the fuzzer; a URI that is not https traps.
///
/// - Returns: whether it was accepted.
package func fuzzPortalOption(_ bytes: [UInt8]) -> Bool {
    guard let portal = CaptivePortalAdvertisement(NeighbourOption(interfaceIndex: 7, type: 37, bytes: bytes)) else {
        return false
    }
    precondition(portal.uri.map { $0.lowercased().hasPrefix("https://") && !$0.utf8.contains(0) } ?? true)
    return true
}
