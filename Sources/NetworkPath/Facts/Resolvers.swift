import Netlink
import Posix

/// The name servers that this host's programs end up asking.
package struct Resolvers: Sendable, Equatable {
    /// Addresses in the order of asking.
    package var nameservers: [String] = []

    package init(_ nameservers: [String] = []) {
        self.nameservers = nameservers
    }
}

/// Reads the effective resolvers, looking behind systemd-resolved's stub.
package struct ResolversReader: Sendable {
    /// The stub listener that systemd-resolved puts into resolv.conf; it is there even with no server behind it.
    private static let stub = "127.0.0.53"

    private let resolvConf: String
    private let upstream: String

    /// A reader of other files than the system's.
    package init(
        resolvConf: String = "/etc/resolv.conf",
        upstream: String = "/run/systemd/resolve/resolv.conf"
    ) {
        self.resolvConf = resolvConf
        self.upstream = upstream
    }

    /// The servers now; none where the file cannot be read.
    ///
    /// A stub stands for what systemd-resolved lists as its servers; where that list cannot be read the stub counts.
    package func read() -> Resolvers {
        let servers = Self.nameservers(resolvConf) ?? []
        guard servers.contains(Self.stub), let behind = Self.nameservers(upstream) else { return Resolvers(servers) }
        return Resolvers(servers.flatMap { $0 == Self.stub ? behind : [$0] })
    }

    private static func nameservers(_ path: String) -> [String]? {
        guard let text = try? SmallFile.read(path, limit: 64 << 10) else { return nil }
        return ResolvConf.nameservers(in: text.span)
    }
}

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
