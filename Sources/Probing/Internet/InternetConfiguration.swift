import HTTPTransfer
package import Posix

/// How the internet behind the path is looked for.
package struct InternetConfiguration: Sendable, Equatable {
    /// While all is well and nothing else proves it.
    package var interval: Duration = .seconds(30)
    /// The same on a path that costs money.
    package var expensiveInterval: Duration = .seconds(300)
    /// For each request of a round.
    package var timeout: Duration = .seconds(3)
    /// The first is asked in each round; the others only where its answer is not conclusive.
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
    /// Any answer with a valid certificate counts.
    package var https = ["https://www.cloudflare.com/cdn-cgi/trace"]
    /// Tried only when names cannot be resolved.
    package var literals: [SocketAddress] = [
        SocketAddress("1.1.1.1:443"), SocketAddress("[2606:4700:4700::1111]:443"),
    ].compactMap(\.self)

    package init() {}

    /// One HTTP request whose answer is known beforehand.
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

    package enum Expectation: Sendable, Hashable {
        case status(Int)
        /// With any 2xx status.
        case bodyPrefix(String)
    }
}

extension InternetConfiguration {
    /// Who is contacted without being asked, each once, in the order of the configuration.
    package var hosts: [String] {
        unique(urls.compactMap(Self.host) + literals.map(\.description))
    }

    /// The values of the label `probe`.
    package var probeNames: [String] {
        unique(probes.map(\.name) + https.compactMap(Self.host) + [Self.literalName, Self.gatewayName])
    }

    static let literalName = "literal"
    static let gatewayName = "gateway"

    /// The host of an absolute URL, an IPv6 address without its brackets.
    static func host(of url: String) -> String? { WebURL(url)?.host }

    /// Whether a URL may lead to addresses of that family: a literal address has but one.
    static func mayReach(_ url: String, over family: AddressFamily) -> Bool {
        guard let host = host(of: url), let literal = IPAddress(host) else { return true }
        return literal.family == family
    }

    private var urls: [String] { probes.map(\.url) + https }

    private func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}
