package import HTTPTransfer
package import Posix

/// How the internet behind the path is checked.
package struct InternetConfiguration: Sendable, Equatable {
    /// Between two rounds while the internet is online and no other traffic proves it.
    package var interval: Duration = .seconds(30)
    /// The same on an expensive path.
    package var expensiveInterval: Duration = .seconds(300)
    /// For each request of a round.
    package var timeout: Duration = .seconds(3)
    /// The first is requested in each round; the others only if its answer is not conclusive.
    package var probes: [Check] = [
        Check(
            name: "google",
            url: "http://connectivitycheck.gstatic.com/generate_204",
            expectation: .status(204)
        ),
        Check(
            name: "mozilla",
            url: "http://detectportal.firefox.com/success.txt",
            expectation: .bodyPrefix("success")
        ),
    ]
    /// Whether an internet whose certificates are not trusted counts as online.
    package var untrustedTLS = UntrustedTLS.allow
    /// How the servers of `https` are verified.
    package var tls = TransferTLS()
    /// For HTTP and HTTPS, such as `http://proxy:3128`; nil: none.
    package var proxy: String?
    /// Any answer with a valid certificate counts.
    ///
    /// Each further host is requested only after the certificate of the one before it was not trusted. The two defaults
    /// have different operators.
    package var https = ["https://www.cloudflare.com/cdn-cgi/trace", "https://www.gstatic.com/generate_204"]
    /// Tried only when no name leads to a server.
    package var literals: [SocketAddress] = [
        SocketAddress("1.1.1.1:443"), SocketAddress("[2606:4700:4700::1111]:443"),
    ].compactMap(\.self)

    package init() {}

    /// One HTTP request with a known answer.
    package struct Check: Sendable, Hashable {
        /// The label `probe`.
        package var name: String
        package var url: String
        package var expectation: Expectation

        package init(name: String, url: String, expectation: Expectation) {
            self.name = name
            self.url = url
            self.expectation = expectation
        }
    }

    package enum UntrustedTLS: String, Sendable, CaseIterable {
        case allow, deny
    }

    package enum Expectation: Sendable, Hashable {
        case status(Int)
        /// With any 2xx status.
        case bodyPrefix(String)

        /// Whether the head of an answer decides.
        var isOfHead: Bool { if case .status = self { true } else { false } }
    }
}

extension InternetConfiguration {
    /// The hosts that are contacted, each once, in the order of the configuration.
    package var hosts: [String] {
        unique(urls.compactMap(Self.host) + literals.map(\.description))
    }

    /// Whether a round resolves a name: one that only asks addresses says nothing about the resolver.
    package var probesNames: Bool { urls.compactMap(Self.host).contains { IPAddress($0) == nil } }

    /// The values of the label `probe`.
    package var probeNames: [String] {
        unique(probes.map(\.name) + https.compactMap(Self.host) + [Self.literalName, Self.gatewayName])
    }

    /// The payload that every path carries (RFC 9293, section 3.7.1), in bytes.
    static let smallSegment: Int32 = 536

    static let literalName = "literal"
    static let gatewayName = "gateway"

    /// The host of an absolute URL, an IPv6 address without its brackets.
    static func host(of url: String) -> String? { WebURL(url)?.host }

    /// Whether the host of a URL can have addresses of that family.
    static func mayReach(_ url: String, over family: AddressFamily) -> Bool {
        guard let host = host(of: url), let literal = IPAddress(host) else { return true }
        return literal.family == family
    }

    /// The indices of `https` to request over that family, in order: one URL of each host.
    func independentHTTPS(over family: AddressFamily) -> [Int] {
        var hosts: Set<String?> = []
        let independent = https.indices.filter { hosts.insert(Self.host(of: https[$0])).inserted }
        let reachable = independent.filter { Self.mayReach(https[$0], over: family) }
        // One that the family cannot reach is evidence, too: its name has no address.
        return reachable.isEmpty ? Array(independent.prefix(1)) : reachable
    }

    private var urls: [String] { probes.map(\.url) + https }

    private func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}
