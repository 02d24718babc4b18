/// What an outage was put down to when it was confirmed.
package enum OutageCause: String, Sendable, CaseIterable {
    /// The link lost its carrier, was set down, or went away.
    case link
    /// The link is fine, but the kernel has no usable route over it.
    case route
    // The rest need the internet probes.
    case gateway, dns, upstream, captive
}
