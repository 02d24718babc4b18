import Foundation
import Glibc

/// A host behind a router, and behind that an internet of its own: names, web servers, certificates.
///
/// `host` eth0 198.18.0.2 – `router` 198.18.0.1, 198.18.1.1 – `internet` 198.18.1.2, and the same in 2001:2::/48. The
/// internet's addresses that the servers listen on are on its loopback.
final class FakeInternet {
    /// What a web server of the internet answers.
    enum Site {
        /// 204 without a body at `/generate_204`, `success` at `/success.txt`, 200 at anything else.
        case honest
        /// A redirect to a login page, whatever is asked for.
        case redirectingPortal
        /// A login page, whatever is asked for.
        case loginPage
        /// 200 without a body, as a broken proxy answers.
        case emptyPage
    }

    static let webIPv4 = "198.18.10.1"
    static let webIPv6 = "2001:2:0:10::1"
    static let nameServer = "198.18.10.53"
    static let nameServerIPv6 = "2001:2:0:10::53"
    static let proxy = "http://198.18.0.1:3128"
    static let literalIPv4 = "198.18.20.1"
    static let literalIPv6 = "2001:2:0:20::1"

    let host: Namespace
    let router: Namespace
    let internet: Namespace
    let certificates: Certificates
    private var webServer: Nginx?
    private var names: DNSMasq?
    private var proxyProgram: Program?
    private let folder: TemporaryFolder

    private init(host: Namespace, router: Namespace, internet: Namespace) throws {
        (self.host, self.router, self.internet) = (host, router, internet)
        certificates = try Certificates()
        folder = try TemporaryFolder()
    }

    /// The three namespaces connected, without any server.
    static func connecting(_ host: Namespace, _ router: Namespace, _ internet: Namespace) async throws -> FakeInternet {
        let fake = try FakeInternet(host: host, router: router, internet: internet)
        // An address serves at once: no second in which IPv6 asks whether somebody else has it.
        for namespace in [host, router, internet] {
            try await namespace.set("net.ipv6.conf.default.accept_dad", to: "0")
        }
        // An index of its own: the kernel reports a lost carrier at once if the two ends have different indices. If the indices
        // are equal, it may wait until one second after the last link event (net/core/link_watch.c).
        try await host.ip("link add eth0 index 42 type veth peer name eth0 netns \(router.name)")
        try await router.ip("link add eth1 type veth peer name eth0 netns \(internet.name)")
        for (namespace, device, ipv4, ipv6) in [
            (host, "eth0", "198.18.0.2/24", "2001:2:0:1::2/64"), (router, "eth0", "198.18.0.1/24", "2001:2:0:1::1/64"),
            (router, "eth1", "198.18.1.1/24", "2001:2:0:2::1/64"),
            (internet, "eth0", "198.18.1.2/24", "2001:2:0:2::2/64"),
        ] {
            try await namespace.ip("address add \(ipv4) dev \(device)")
            try await namespace.ip("address add \(ipv6) dev \(device) nodad")
            try await namespace.ip("link set \(device) up")
        }
        for (namespace, gateway4, gateway6) in [
            (host, "198.18.0.1", "2001:2:0:1::1"), (router, "198.18.1.2", "2001:2:0:2::2"),
            (internet, "198.18.1.1", "2001:2:0:2::1"),
        ] {
            try await namespace.ip("route add default via \(gateway4)")
            try await namespace.ip("-6 route add default via \(gateway6)")
        }
        for address in [webIPv4, nameServer, literalIPv4] {
            try await internet.ip("address add \(address)/32 dev lo")
        }
        for address in [webIPv6, nameServerIPv6, literalIPv6] {
            try await internet.ip("address add \(address)/128 dev lo nodad")
        }
        try await router.set("net.ipv4.ip_forward", to: "1")
        try await router.set("net.ipv6.conf.all.forwarding", to: "1")
        // IPv6 begins with an event that the kernel may hold back for a second: wait until somebody refuses.
        try await poll("IPv6 through the router") {
            let curl = ["curl", "-6sv", "--max-time", "1", "http://[\(webIPv6)]:9/"]
            return try await run(host.prefix + curl).errors.contains("refused") ? true : nil
        }
        try host.setResolver(nameServer)
        try host.setCertificateAuthority(fake.certificates.authority)
        return fake
    }

    /// Starts web servers, replacing those before; a portal's have no right certificate.
    ///
    /// - Parameters:
    ///   - site: what they answer.
    ///   - certificate: what they show over HTTPS; nil: the right one, unless they are a portal's.
    ///   - second: what `www.gstatic.com` shows instead; nil: the same.
    ///   - date: the `Date` of their answers; nil: the time of this machine.
    /// - Throws: `Failure` where they do not start.
    func serve(
        _ site: Site,
        certificate: Certificates.Kind? = nil,
        second: Certificates.Kind? = nil,
        date: Date? = nil
    ) async throws {
        try await stopServing()
        let isPortal = site == .redirectingPortal || site == .loginPage
        let kind = certificate ?? (isPortal ? .foreign : .own)
        let (shown, other, internet) = (certificates.pair(kind), certificates.pair(second ?? kind), internet)
        webServer = try await blocking {
            try Nginx.site(site, in: internet, certificate: shown, second: other, date: date)
        }
    }

    /// Ends the web servers: their ports refuse.
    func stopServing() async throws {
        let server = webServer
        webServer = nil
        try await blocking { _ = server?.stop() }
    }

    /// Starts a real proxy on the router, at `proxy`.
    func serveProxy() async throws {
        let file = try folder.write(
            "tinyproxy.conf",
            """
            User root
            Port 3128
            Listen 198.18.0.1
            Timeout 10
            ConnectPort 443
            PidFile "\(folder.path)/tinyproxy.pid"

            """
        )
        let program = try Program(router.prefix + ["tinyproxy", "-d", "-c", file])
        proxyProgram = program
        let host = host
        try await poll("the proxy") {
            guard program.isRunning else { throw Failure(description: "tinyproxy has ended: \(program.errors)") }
            return try? await HTTPResponse.of("\(Self.proxy)/", prefix: host.prefix)
        }
    }

    /// What the web servers were asked so far.
    var requests: [String] { webServer?.requests ?? [] }

    /// When the own certificate ends, as openssl(1) reads it.
    func certificateEnd() async throws -> Double {
        let text = try await output(of: [
            "openssl", "x509", "-noout", "-enddate", "-dateopt", "iso_8601", "-in", certificates.own.certificate,
        ])
        let date = text.split(separator: "=").last.map { $0.filter { $0 != "\n" }.replacing(" ", with: "T") } ?? ""
        return try Date(date, strategy: .iso8601).timeIntervalSince1970
    }

    /// Starts the name server, which knows every name that the exporter asks for.
    func resolve(ipv4: Bool = true, ipv6: Bool = true) async throws {
        try await stopResolving()
        names = try await nameServer([ipv4 ? Self.webIPv4 : nil, ipv6 ? Self.webIPv6 : nil].compactMap(\.self))
    }

    /// Starts the name server, which gives every name an address that leads nowhere.
    func lie() async throws {
        try await stopResolving()
        try await internet.ip("route replace blackhole 198.18.99.9")
        names = try await nameServer(["198.18.99.9"])
    }

    /// A real one, to which every name but few has these addresses.
    private func nameServer(_ addresses: [String]) async throws -> DNSMasq {
        let options =
            ["--txt-record=text.test,hello", "--mx-host=mail.test,mx.test,10", "--address=/missing.test/"]
            + addresses.map { "--address=/#/\($0)" }
        let internet = internet
        return try await blocking {
            try DNSMasq(on: [Self.nameServer, Self.nameServerIPv6], in: internet, options)
        }
    }

    func stopResolving() async throws {
        let server = names
        names = nil
        try await blocking { _ = server?.stop() }
    }

    /// Takes the router's way to the internet: it says so to whoever sends.
    func cutUpstream() async throws { try await router.ip("link set eth1 down") }

    /// Lets nothing pass behind the router, without a word.
    func cutUpstreamSilently() async throws { try await internet.ip("link set eth0 down") }

    func mendUpstreamSilently() async throws {
        try await internet.ip("link set eth0 up")
        try await internet.ip("route replace default via 198.18.1.1")
        try await internet.ip("-6 address replace 2001:2:0:2::2/64 dev eth0 nodad")
        try await internet.ip("-6 route replace default via 2001:2:0:2::1")
    }

    func stop() async throws {
        proxyProgram?.signal(SIGTERM)
        _ = try await proxyProgram?.status()
        try await stopServing()
        try await stopResolving()
    }

    /// The configuration for it, with the internet's own names and short intervals.
    static func configuration(interval: String = "1s", timeout: String = "1s", _ more: String = "") -> String {
        """
        path:
          viewpoint: host
          anchors: { ipv4: \(literalIPv4), ipv6: "\(literalIPv6)" }
        gateway: { enabled: false }
        internet:
          interval: \(interval)
          timeout: \(timeout)
          literals: ["\(literalIPv4):443", "[\(literalIPv6)]:443"]
        \(more)

        """
    }
}

/// Gives `body` an honest internet behind a router.
func withInternet<Result>(
    serving site: FakeInternet.Site? = .honest,
    _ body: (FakeInternet) async throws -> Result
) async throws -> Result {
    try await withNamespace { internet in
        try await withNamespace { router in
            try await withNamespace { host in
                let fake = try await FakeInternet.connecting(host, router, internet)
                if let site { try await fake.serve(site) }
                try await fake.resolve()
                do {
                    let result = try await body(fake)
                    try await fake.stop()
                    return result
                } catch {
                    try? await fake.stop()
                    throw error
                }
            }
        }
    }
}
