import Netlink
import Posix

/// The addresses of the resolvers that this host's programs use, read from files as resolv.conf(5) describes them.
enum Resolvers {
    /// The stub listener that systemd-resolved writes into resolv.conf, even with no server behind it.
    private static let stub = "127.0.0.53"
    /// More than any resolver uses (glibc: 3): a bound on the memory that a file can take.
    private static let maxServers = 16

    /// The servers now, in the order of use; none where the file cannot be read.
    ///
    /// systemd-resolved's servers take the place of its stub; the stub counts where they cannot be read.
    static func nameservers(_ configuration: PathConfiguration) -> [String] {
        let servers = nameservers(at: configuration.resolvConf) ?? []
        guard servers.contains(stub), let upstream = nameservers(at: configuration.resolvedConf) else { return servers }
        return servers.flatMap { $0 == stub ? upstream : [$0] }
    }

    private static func nameservers(at path: String) -> [String]? {
        guard let text = try? SmallFile.read(path, limit: 64 << 10) else { return nil }
        return nameservers(in: text.span)
    }

    /// The addresses in their order; comments, other lines and invalid addresses are skipped.
    ///
    /// An IPv6 address may carry a zone (`fe80::1%eth0`).
    static func nameservers(in text: Span<UInt8>) -> [String] {
        var servers: [String] = []
        var start = 0
        while start < text.count, servers.count < maxServers {
            var end = start
            while end < text.count, text[end] != 0x0a { end += 1 }
            if let server = nameserver(text.extracting(start..<end)) { servers.append(server) }
            start = end + 1
        }
        return servers
    }

    private static func nameserver(_ line: Span<UInt8>) -> String? {
        // Longer than the keyword with the longest address and zone.
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

/// Reads a file of the resolver's configuration, for the fuzzer.
///
/// - Returns: whether it names a server.
package func fuzzNameservers(_ bytes: [UInt8]) -> Bool { !Resolvers.nameservers(in: bytes.span).isEmpty }
