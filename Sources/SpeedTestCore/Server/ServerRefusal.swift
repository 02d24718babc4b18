/// Why the embedded server refuses a request, or ends a transfer.
package struct ServerRefusal: Error, Sendable, Equatable {
    /// The raw values are labels.
    package enum Reason: String, Sendable, CaseIterable {
        /// The client's address is none of those allowed.
        case address
        /// A browser asks on behalf of another site's page.
        case crossSite = "cross_site"
        /// Too many transfers are under way.
        case clients
        /// The body is larger than one transfer may be.
        case bytes
        /// What may be transferred in a day was.
        case bytesPerDay = "bytes_per_day"
        /// The transfer has lasted too long.
        case duration
    }

    package var reason: Reason
    /// When another try may succeed; nil where it will not.
    package var retryAfter: Duration?

    package init(_ reason: Reason, retryAfter: Duration? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// The HTTP status for it.
    package var status: Int {
        switch reason {
        case .address, .crossSite: 403
        case .bytes: 413
        case .clients, .bytesPerDay, .duration: 503
        }
    }

    /// A sentence for the client.
    package var message: String {
        switch reason {
        case .address: "the speed-test server is not open to this address"
        case .crossSite: "the request comes from another site's page"
        case .clients: "too many tests are under way"
        case .bytes: "the body is larger than allowed"
        case .bytesPerDay: "the server's bytes of the day are used up"
        case .duration: "the transfer has lasted longer than allowed"
        }
    }
}
