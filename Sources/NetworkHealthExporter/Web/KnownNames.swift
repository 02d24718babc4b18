import Glibc
import HTTPTransfer
import Posix

/// The names in `Host` by which a browser may ask this exporter.
///
/// All are in lower case and without a full stop at the end.
struct KnownNames: Sendable {
    private let names: Set<String>
    /// Each begins with a full stop.
    private let suffixes: [String]

    /// - Parameters:
    ///   - allowed: The names and suffixes of ``FlagName/allowedHost``.
    ///   - externalURL: The address for browsers, whose name is known, too.
    ///   - own: The names of this host.
    init(allowed: [String] = [], externalURL: WebURL? = nil, own: Set<String> = Self.ofThisHost) {
        let allowed = allowed.map(Self.normal)
        suffixes = allowed.filter { $0.hasPrefix(".") }
        names = own.union(allowed + [externalURL.map { Self.normal($0.host) }, "localhost"].compactMap(\.self))
    }

    func contains(_ name: String) -> Bool {
        let name = Self.normal(name)
        return names.contains(name) || suffixes.contains { name.hasSuffix($0) }
    }

    /// Whether ``FlagName/allowedHost`` may have this value: a name, or a suffix such as `.monitoring.svc`.
    static func isAllowed(_ text: String) -> Bool {
        HostPort.isName(text.hasPrefix(".") ? String(text.dropFirst()) : text)
    }

    /// The names of a host that are known without asking the network.
    ///
    /// The search domains of resolv.conf are left out: they come from the network, which could pass for this host with them.
    ///
    /// - Parameters:
    ///   - hostName: As gethostname(2) returns it, with or without a domain.
    ///   - hosts: The content of /etc/hosts, whose lines with this name have others.
    /// - Returns: None without a host name.
    static func ofHost(_ hostName: String, hosts: String) -> Set<String> {
        let full = normal(hostName)
        let short = String(full.prefix { $0 != "." })
        guard !short.isEmpty else { return [] }
        // The name in the local network (RFC 6762), which is in no other DNS.
        var names: Set = [full, short, "\(short).local"]
        for line in hosts.split(whereSeparator: \.isNewline) {
            let found = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).dropFirst().map { normal($0) }
            if found.contains(full) || found.contains(short) { names.formUnion(found) }
        }
        return names
    }

    /// Of this host as of now; of an /etc/hosts above 1 MiB only the host name is known.
    static var ofThisHost: Set<String> {
        // HOST_NAME_MAX is 64.
        let hostName = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, gethostname(base, buffer.count - 1) == 0 else { return "" }
            buffer[buffer.count - 1] = 0
            return String(cString: base)
        }
        return ofHost(hostName, hosts: SmallFile.text("/etc/hosts", limit: 1 << 20) ?? "")
    }

    private static func normal(_ name: some StringProtocol) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
