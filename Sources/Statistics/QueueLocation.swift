/// Where packets waited under the load of a speed test; the raw values are labels.
package enum QueueLocation: String, Sendable, CaseIterable, Codable {
    /// Nowhere: no round trip took much longer than without load.
    case nowhere = "none"
    /// On the cable or radio of this host.
    case link
    /// On the line to the provider's first hop.
    case access
    /// Behind that.
    case provider
    /// They waited, and what was measured does not show where.
    case unknown
}
