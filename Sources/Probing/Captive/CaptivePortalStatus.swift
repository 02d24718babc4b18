/// What a captive portal's API says about this host (RFC 8908).
package struct CaptivePortalStatus: Sendable, Equatable {
    /// Whether a login is wanted before anything gets through.
    package var isCaptive: Bool
    /// The page for people, always https.
    package var portalURL: String?
    /// After that the session ends; nil: not told.
    package var secondsRemaining: UInt64?
    /// After these the session ends; nil: not told.
    package var bytesRemaining: UInt64?

    package init(isCaptive: Bool) {
        self.isCaptive = isCaptive
    }
}
