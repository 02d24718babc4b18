/// Which way the load flows, seen from this host.
package enum Direction: String, Sendable, CaseIterable, Codable {
    case download, upload
}
