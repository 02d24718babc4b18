package import HTTPTransfer

/// Asks a captive portal's API.
package struct CaptivePortalClient: Sendable {
    private let transfers: any HTTPTransferring

    package init(transfers: any HTTPTransferring) {
        self.transfers = transfers
    }

    /// What the API says; nil where nothing useful came within three seconds.
    package func status(at uri: String) async -> CaptivePortalStatus? {
        guard let response = try? await transfers.perform(CaptivePortalAPI.request(uri: uri)) else { return nil }
        return CaptivePortalAPI.status(from: response)
    }
}
