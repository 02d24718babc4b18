/// How the other side is verified, and how we show who we are: Prometheus' `tls_config`.
package struct TransferTLS: Sendable, Hashable {
    /// PEM bundle to verify with; nil: the system's.
    package var caFile: String?
    /// PEM certificate of ours.
    package var certificateFile: String?
    package var keyFile: String?
    /// Sent as SNI and verified instead of the URL's host; not on redirects to an absolute URL.
    package var serverName: String?
    package var skipsVerification = false

    package init() {}
}
