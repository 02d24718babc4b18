import Posix

/// The `nameserver` lines of a resolv.conf(5).
package enum ResolvConf {
    /// More than any resolver asks (glibc takes 3): a bound on what a file can make us keep.
    package static let maximumServers = 16

    /// The addresses in their order; comments, other lines and what is no address are skipped.
    ///
    /// An IPv6 address may carry a zone (`fe80::1%eth0`).
    package static func nameservers(in text: Span<UInt8>) -> [String] {
        var servers: [String] = []
        var start = 0
        while start < text.count, servers.count < maximumServers {
            var end = start
            while end < text.count, text[end] != 0x0a { end += 1 }
            if let server = nameserver(text.extracting(start..<end)) { servers.append(server) }
            start = end + 1
        }
        return servers
    }

    private static func nameserver(_ line: Span<UInt8>) -> String? {
        // Longer than the keyword with the longest address and zone: not worth copying.
        guard line.count <= 256 else { return nil }
        let bytes = line.indices.map { line[$0] }
        let words = bytes.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
        guard words.count >= 2, words[0].elementsEqual("nameserver".utf8),
            let server = String(validating: words[1], as: UTF8.self)
        else { return nil }
        return isAddress(server) ? server : nil
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return false }
        return parts.count == 1 || address.family == .ipv6 && !parts[1].isEmpty
    }
}
