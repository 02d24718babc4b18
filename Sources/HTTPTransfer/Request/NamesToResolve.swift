import CCurl
import Glibc
import Posix

/// The hosts to which libcurl connects for a request, as it spells them: the destination, or its proxy.
///
/// A name is looked up by the process's own resolver, never by libcurl, which takes a thread and descriptors each time.
struct NamesToResolve: Sendable, Equatable {
    /// Empty where no name has to be looked up.
    private(set) var hosts: [String] = []
    /// Those to which the connections lead.
    private var ports: [UInt16]
    private var family: AddressFamily?

    /// Why there are no addresses.
    struct Failure: Error, Equatable {
        let reason: TransferError.Reason
        let message: String
    }

    init(_ destination: WebURL, proxy: String?, family: AddressFamily?) {
        self.family = family
        ports = [destination.port]
        var asked = [destination.host]
        if let proxy, let place = CurlHost(proxy) {
            ports.append(place.port)
            // A proxy of HTTP looks the destination up by itself, and SOCKS does in two of its forms.
            let resolvesHere = ["socks4", "socks5"].contains(place.scheme)
            asked = resolvesHere ? [place.host, asked[0]] : [place.host]
        }
        // libcurl knows the addresses of localhost (RFC 6761).
        if !asked.allSatisfy({ Self.isLiteral($0) || Self.isLoopbackName($0) }) { hosts = asked }
    }

    var isEmpty: Bool { hosts.isEmpty }

    /// Whether every host has to be resolved before a connection: literal addresses have not.
    var areNamesOnly: Bool { !hosts.isEmpty && !hosts.contains(where: Self.isLiteral) }

    /// Looks the names up, one after the other.
    func resolve(
        with resolver: any NameResolving,
        until deadline: ContinuousClock.Instant
    ) async -> Result<ResolvedNames, Failure> {
        var found = ResolvedNames()
        for host in hosts {
            do throws(LookupError) {
                let addresses = try await resolver.addresses(of: host, family: family, until: deadline)
                found.add(addresses, of: host, at: ports)
            } catch {
                return .failure(Failure(error, host: host, isLate: deadline <= .now))
            }
        }
        return .success(found)
    }

    private static func isLiteral(_ host: String) -> Bool { HostPort(host: host).address != nil }

    private static func isLoopbackName(_ host: String) -> Bool {
        let name = host.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost")
    }
}

extension NamesToResolve.Failure {
    init(_ error: LookupError, host: String, isLate: Bool) {
        switch error {
        case .noAddress where isLate: self.init(reason: .timeout, message: "Resolving timed out: \(host)")
        case .noAddress, .noDevice:
            self.init(reason: .resolve, message: "Could not resolve host: \(host): \(error)")
        case .localLimit: self.init(reason: .local, message: "\(host): \(error)")
        }
    }
}

/// What the resolver has found, for CURLOPT_RESOLVE.
struct ResolvedNames: Sendable, Equatable {
    /// `example.com:443:192.0.2.1,[2001:db8::1]`, in the resolver's order.
    private(set) var entries: [String] = []
    /// The devices of link-local addresses.
    private var scopes: [IPAddress: UInt32] = [:]

    mutating func add(_ addresses: [SocketAddress], of host: String, at ports: [UInt16]) {
        let texts = addresses.map { $0.ip.family == .ipv6 ? "[\($0.ip)]" : "\($0.ip)" }
        for address in addresses where address.scope != 0 { scopes[address.ip] = address.scope }
        // A literal IPv6 address would be read as a name and a port.
        guard !host.contains(":") else { return }
        // libcurl asks for a proxy by one of two ports.
        entries += ports.map { "\(host):\($0):\(texts.joined(separator: ","))" }
    }

    /// The device of an address that needs one; nil where it has one, or needs none.
    func scope(of address: SocketAddress) -> UInt32? { address.scope == 0 ? scopes[address.ip] : nil }
}

/// Scheme, host and port of a URL as libcurl connects to them.
private struct CurlHost {
    let scheme: String
    /// Without brackets.
    let host: String
    /// The one that is written, else that of a proxy.
    let port: UInt16

    /// - Parameter text: the scheme may be missing, as in `proxy:3128`.
    init?(_ text: String) {
        let absolute = text.contains("://") ? text : "http://\(text)"
        guard let url = CurlURL(absolute, flags: CURLU_NON_SUPPORT_SCHEME), let host = url.host else { return nil }
        scheme = url.part(CURLUPART_SCHEME)?.lowercased() ?? "http"
        self.host = host
        port = url.part(CURLUPART_PORT).flatMap { UInt16($0) } ?? (scheme == "https" ? 443 : 1080)
    }
}
