import Posix

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
