import HTTPTransfer
import Lab
import Posix
import Probing
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct TargetReadingTests {
    private func read(_ yaml: String, in folder: TemporaryFolder? = nil) throws -> Configuration {
        let file = folder.map { "\($0.path)/test.yml" } ?? "test.yml"
        return try Configuration.read(Array(yaml.utf8), file: file, environment: [:])
    }

    private func target(_ entries: String, in folder: TemporaryFolder? = nil) throws -> Target {
        try #require(try read("targets: [{ \(entries) }]", in: folder).targets.all.first)
    }

    @Test(arguments: ["", "targets:\ntargets_files:\n", "targets: []\n"])
    func `there are none by default`(yaml: String) throws {
        let section = try read(yaml).targets
        #expect(section == TargetsSection())
        #expect(section.all.isEmpty && section.patterns.isEmpty && section.onExpensive == .slow)
    }

    @Test func `the example of the manual`() throws {
        let configuration = try read(
            """
            targets_on_expensive: skip
            targets:
              - { name: router, module: icmp, address: _gateway, interval: 1s }
              - { name: dns,    module: dns,  address: "9.9.9.9", query: "example.com", type: A }
              - { name: api,    module: http, address: "https://api.example.com/health", method: HEAD, timeout: 5s, expect: { status: [200, 204], body_regex: "" }, headers: {}, labels: { team: web } }
              - { name: graph,  module: graphql, address: "https://api.example.com/graphql", query: "{ __typename }" }
              - { name: broker, module: tcp,  address: "broker.example.com:8883", interface: eth0, ip_family: ipv4 }
            targets_files: []
            """
        )
        #expect(configuration.targets.onExpensive == .skip)
        let targets = configuration.targets.all
        #expect(targets.map(\.name) == ["router", "dns", "api", "graph", "broker"])
        #expect(targets.map(\.module) == ["icmp", "dns", "http", "graphql", "tcp"])
        #expect(targets.map(\.interval) == [.seconds(1)] + Array(repeating: .seconds(10), count: 4))
        #expect(targets.map(\.timeout) == [2, 2, 5, 5, 2].map { .seconds($0) })
        #expect(targets.map(\.family) == [nil, nil, nil, nil, .ipv4])
        #expect(targets.map(\.interface) == [nil, nil, nil, nil, "eth0"])
        #expect(targets[0].isGateway)
        #expect(targets[1].probe as? DNSProbe == DNSProbe(query: "example.com"))
        var http = HTTPProbe()
        http.method = .head
        http.expectedStatus = [200, 204]
        #expect(targets[2].probe as? HTTPProbe == http)
        #expect(targets[2].labels == ["team": "web"])
        #expect(targets[3].probe as? GraphQLProbe == GraphQLProbe(query: "{ __typename }"))
        #expect(targets[4].probe as? TCPProbe == TCPProbe())
    }

    @Test(arguments: [
        ("icmp", "example.com"), ("icmp", "2001:db8::1"), ("icmp", "_gateway"), ("icmp", "host_1"), ("icmp", "x."),
        ("tcp", "[2001:db8::1]:443"), ("tcp", "192.0.2.1:1"), ("tcp", "localhost:65535"),
        ("dns", "9.9.9.9"), ("dns", "2620:fe::fe"), ("dns", "[2620:fe::fe]"), ("dns", "[2620:fe::fe]:5353"),
        ("dns", "resolver:53"), ("dns", "_gateway"),
        ("http", "http://example.com"), ("http", "HTTPS://[2001:db8::1]:8443/a?b=c"), ("http", "http://a_b:80/~x"),
    ])
    func `takes what a module can ask`(module: String, address: String) throws {
        let query = module == "dns" ? ", query: example.com" : ""
        #expect(try target("name: a, module: \(module), address: \"\(address)\"\(query)").address == address)
    }

    @Test func `each module reads its own keys`() throws {
        let folder = try TemporaryFolder()
        try folder.write("ca.pem", TestAuthority.shared.get().certificateText())
        var tls = TransferTLS()
        tls.caFile = "\(folder.path)/ca.pem"
        tls.serverName = "other"
        #expect(
            try target(
                "name: a, module: tcp, address: \"b:1\", tls: true, ca_file: ca.pem, server_name: other",
                in: folder
            )
            .probe as? TCPProbe == TCPProbe(tls: tls)
        )
        let dns = DNSProbe(query: "example.com.", type: .mx)
        #expect(
            try target("name: a, module: dns, address: b, query: example.com., type: MX").probe as? DNSProbe == dns
        )
        let target = try target(
            """
            name: a, module: http, address: "http://b/", method: POST, expect: { status: 301, body_regex: "^ok$" },
            headers: { X-A: "1 2", Authorization: x }, on_expensive: run, on_constrained: skip, ca_file: ca.pem,
            counts_for_latency: true
            """,
            in: folder
        )
        var http = HTTPProbe()
        http.method = .post
        http.expectedStatus = [301]
        http.bodyPattern = try BodyPattern("^ok$")
        http.headers = ["X-A": "1 2", "Authorization": "x"]
        http.options.tls.caFile = tls.caFile
        #expect(target.probe as? HTTPProbe == http)
        #expect(target.onExpensive == .run && target.onConstrained == .skip && target.countsForLatency == true)
    }

    @Test func `credentials become the header that is sent, and files are found beside the configuration`() throws {
        let folder = try TemporaryFolder()
        try folder.write("secrets/token", " t0ken\n")
        try folder.write("ca.pem", TestAuthority.shared.get().certificateText())
        for file in ["cert", "key"] { try folder.write("\(file).pem", "-") }
        func request(_ entries: String) throws -> HTTPRequestOptions {
            let target = try target(
                "name: a, module: graphql, address: \"http://b/\", query: q, \(entries)",
                in: folder
            )
            return try #require(target.probe as? GraphQLProbe).options
        }
        #expect(try request("authorization: { credentials: abc }").authorization == "Bearer abc")
        #expect(
            try request("authorization: { type: Token, credentials_file: secrets/token }").authorization
                == "Token t0ken"
        )
        #expect(
            try request("basic_auth: { username: Aladdin, password: \"open sesame\" }").authorization
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        )
        #expect(
            try request("basic_auth: { username: a, password_file: \"\(folder.path)/secrets/token\" }").authorization
                == "Basic YTp0MGtlbg=="
        )
        #expect(try request("basic_auth: { username: a }").authorization == "Basic YTo=")
        let options = try request(
            """
            proxy_url: "http://me:pw@proxy:3128",
            tls_config: { ca_file: ca.pem, cert_file: cert.pem, key_file: key.pem, server_name: c, insecure_skip_verify: true }
            """
        )
        #expect(options.proxy == "http://me:pw@proxy:3128")
        var tls = TransferTLS()
        tls.caFile = "\(folder.path)/ca.pem"
        tls.certificateFile = "\(folder.path)/cert.pem"
        tls.keyFile = "\(folder.path)/key.pem"
        tls.serverName = "c"
        tls.skipsVerification = true
        #expect(options.tls == tls)
    }
}
