import HTTPTransfer

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
