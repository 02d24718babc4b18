import FoundationEssentials
import Posix

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
    static func host(of url: String) -> String? { URL(string: url)?.host() }

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
