import Probing
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct TargetErrorTests {
    typealias Broken = ConfigurationErrorTests.Broken

    static let duration = ConfigurationErrorTests.duration
    static let url = "expected an absolute http or https URL without user info such as http://example.com/health"
    static let name = "expected a name of 1 to 128 bytes without control characters"
    static let label =
        "expected a label's name: letters, digits and _, not first a digit or __, and none of target, module, device, family, method"
    static let host = "expected HOST:PORT such as example.com:443 or [2001:db8::1]:443"
    static let certificate = "expected a file with a certificate in PEM format"
    static let line = "expected a text of one line that is not empty"

    static let common = [
        Broken("targets: a", "1: targets: expected a list, found a text"),
        Broken("targets_on_expensive: stop", "1: targets_on_expensive: expected run, slow or skip, found \"stop\""),
        Broken("targets_files: a.yml", "1: targets_files: expected a list, found a text"),
        Broken(
            "targets_files: [\"\"]",
            "1: targets_files[0]: expected a path or a pattern such as targets.d/*.yml, found \"\""
        ),
        Broken("targets:\n  - { module: icmp }\n", "2: targets[0]: the key \"name\" is missing"),
        Broken("targets:\n  - { name: a }\n", "2: targets[0]: the key \"module\" is missing"),
        Broken("targets:\n  - { name: a, module: icmp }\n", "2: targets[0]: the key \"address\" is missing"),
        icmp("name: \"\"", "name: \(name), found \"\""),
        icmp("name: \"a\\nb\"", "name: \(name), found \"a\\nb\""),
        icmp(
            "name: \(String(repeating: "ü", count: 65))",
            "name: \(name), found \"\(String(repeating: "ü", count: 60))…\""
        ),
        icmp("module: ping", "module: expected icmp, tcp, dns, http or graphql, found \"ping\""),
        icmp("interval: 99ms", "interval: \(duration) from 100ms to 1d, found \"99ms\""),
        icmp("interval: 25h", "interval: \(duration) from 100ms to 1d, found \"25h\""),
        icmp("timeout: 9ms", "timeout: \(duration) from 10ms to 5m, found \"9ms\""),
        icmp("timeout: 301s", "timeout: \(duration) from 10ms to 5m, found \"301s\""),
        icmp("ip_family: ipv5", "ip_family: expected auto, ipv4 or ipv6, found \"ipv5\""),
        icmp("interface: \"a/b\"", "interface: expected a device's name such as eth0, found \"a/b\""),
        icmp(
            "interface: abcdefghijklmnop",
            "interface: expected a device's name such as eth0, found \"abcdefghijklmnop\""
        ),
        icmp("labels: [a]", "labels: expected a mapping, found a list"),
        icmp("labels: { a-b: c }", "labels: \(label), found \"a-b\""),
        icmp("labels: { 1a: c }", "labels: \(label), found \"1a\""),
        icmp("labels: { __a: c }", "labels: \(label), found \"__a\""),
        icmp("labels: { device: c }", "labels: \(label), found \"device\""),
        icmp("on_expensive: wait", "on_expensive: expected run, slow or skip, found \"wait\""),
        icmp("on_constrained: slow", "on_constrained: expected run or skip, found \"slow\""),
        Broken(
            "targets:\n  - { name: a, module: icmp, address: b }\n  - { name: a, module: icmp, address: c }\n",
            "3: targets[1]: the name \"a\" is already taken at test.yml:2"
        ),
    ]

    static let addresses = [
        icmp("address: \"a b\"", "address: expected a host, an IP address or _gateway, found \"a b\""),
        icmp("address: \"a:1\"", "address: expected a host, an IP address or _gateway, found \"a:1\""),
        icmp("address: \"[::1]\"", "address: expected a host, an IP address or _gateway, found \"[::1]\""),
        icmp("address: 192.0.2.256", "address: expected a host, an IP address or _gateway, found \"192.0.2.256\""),
        icmp("address: 224.0.0.1", "address: expected a host, an IP address or _gateway, found \"224.0.0.1\""),
        icmp("address: 0.0.0.0", "address: expected a host, an IP address or _gateway, found \"0.0.0.0\""),
        icmp("address: a..b", "address: expected a host, an IP address or _gateway, found \"a..b\""),
        icmp(
            "ip_family: ipv6, address: 192.0.2.1",
            "address: expected a name or an address of the ip_family ipv6, found \"192.0.2.1\""
        ),
        tcp("address: a", "address: \(host), found \"a\""),
        tcp("address: _gateway", "address: \(host), found \"_gateway\""),
        tcp("address: \"_gateway:22\"", "address: \(host), found \"_gateway:22\""),
        tcp("address: \"a:0\"", "address: \(host), found \"a:0\""),
        tcp("address: \"a:65536\"", "address: \(host), found \"a:65536\""),
        tcp("address: \"a:+1\"", "address: \(host), found \"a:+1\""),
        tcp("address: \"2001:db8::1:443\"", "address: \(host), found \"2001:db8::1:443\""),
        tcp("address: \"[192.0.2.1]:443\"", "address: \(host), found \"[192.0.2.1]:443\""),
        dns(
            "address: \"_gateway:53\"",
            "address: expected a host, HOST:PORT, [IPv6]:PORT or _gateway, found \"_gateway:53\""
        ),
        http("address: example.com", "address: \(url), found \"example.com\""),
        http("address: \"http://me:hunter2@b/\"", "address: \(url), found a text"),
        http(
            "ip_family: ipv4, address: \"http://[::1]/\"",
            "address: expected a name or an address of the ip_family ipv4, found \"http://[::1]/\""
        ),
        graphql("address: _gateway", "address: \(url), found \"_gateway\""),
    ]

    static let options = [
        icmp("query: a", "query: a key of module dns and graphql, not of icmp"),
        icmp("expect: {}", "expect: a key of module http, not of icmp"),
        tcp("tls_config: {}", "tls_config: a key of module http and graphql, not of tcp"),
        dns("tls: true", "tls: a key of module tcp, not of dns"),
        http("type: A", "type: a key of module dns, not of http"),
        graphql("method: GET", "method: a key of module http, not of graphql"),
        graphql("ca_file: a", "ca_file: a key of module tcp and http, not of graphql"),
        Broken(
            "targets:\n  - { name: a, module: icmp, address: b, intervall: 1s }\n",
            "2: targets[0]: unknown key \"intervall\", did you mean \"interval\"? (valid keys: name, module, address, interval, timeout, ip_family, interface, labels, on_expensive, on_constrained, counts_for_latency)"
        ),
        tcp("ca_file: /etc/ssl/certs/ca-certificates.crt", "ca_file: expected tls: true beside it"),
        tcp("tls: false, server_name: a", "server_name: expected tls: true beside it"),
        tcp(
            "tls: true, ca_file: /nonexistent",
            "ca_file: cannot read it: open /nonexistent: No such file or directory (errno 2)"
        ),
        tcp("tls: true, ca_file: /etc/hostname", "ca_file: \(certificate)"),
        http("ca_file: /etc/hostname", "ca_file: \(certificate)"),
        http("tls_config: { ca_file: /etc/hostname }", "tls_config.ca_file: \(certificate)"),
        Broken(
            "targets: [{ name: a, module: dns, address: b }]",
            "1: targets[0]: the key \"query\" is missing"
        ),
        dns("query: \"a b\"", "query: expected a domain name such as example.com, found \"a b\""),
        dns("type: SRV", "type: expected A, AAAA, TXT or MX, found \"SRV\""),
        http("method: get", "method: expected GET, HEAD, PUT, POST, PATCH or DELETE, found \"get\""),
        http("expect: { status: 99 }", "expect.status: expected a whole number from 100 to 599, found \"99\""),
        http(
            "expect: { status: [200, ok] }",
            "expect.status[1]: expected a whole number from 100 to 599, found \"ok\""
        ),
        http(
            "method: HEAD, expect: { body_regex: a }",
            "expect.body_regex: expected none, for an answer to HEAD has no body"
        ),
        http(
            "headers: { \"a b\": c }",
            "headers: expected a header's name that HTTP does not set itself, found \"a b\""
        ),
        http(
            "headers: { Content-Length: 1 }",
            "headers: expected a header's name that HTTP does not set itself, found \"Content-Length\""
        ),
        http(
            "headers: { a: \"hunter2\\r\\nb: c\" }",
            "headers.a: expected a header's value: one line without control characters"
        ),
        http("headers: { X-A: 1, x-a: 2 }", "headers: the header x-a is set twice"),
        http(
            "headers: { authorization: x }, authorization: { credentials: y }",
            "headers: the header authorization is set twice"
        ),
        http(
            "ca_file: /etc/ssl/certs/ca-certificates.crt, tls_config: { ca_file: /etc/ssl/certs/ca-certificates.crt }",
            "ca_file: expected at most one of ca_file and tls_config.ca_file"
        ),
        graphql("query: \"\"", "query: expected a text that is not empty, found \"\""),
    ]

    static let requests = [
        graphql("authorization: {}", "authorization: expected credentials or credentials_file"),
        graphql(
            "authorization: { type: basic, credentials: x }",
            "authorization.type: expected a type of authorization other than Basic, for which there is basic_auth, found \"basic\""
        ),
        graphql("authorization: { credentials: \"hunter2\\n2\" }", "authorization.credentials: \(line)"),
        graphql("authorization: { credentials: \"\" }", "authorization.credentials: \(line)"),
        graphql(
            "authorization: { credentials: x, credentials_file: /etc/hostname }",
            "authorization.credentials_file: expected at most one of credentials and credentials_file"
        ),
        graphql(
            "authorization: { credentials_file: /nonexistent }",
            "authorization.credentials_file: cannot read it: open /nonexistent: No such file or directory (errno 2)"
        ),
        graphql(
            "authorization: { credentials_file: /dev/null }",
            "authorization.credentials_file: cannot read it: read /dev/null, which is not a regular file: Invalid argument (errno 22)"
        ),
        graphql(
            "authorization: { credentials: x }, basic_auth: { username: y }",
            "basic_auth: expected at most one of authorization and basic_auth"
        ),
        graphql("basic_auth: { password: x }", "basic_auth: the key \"username\" is missing"),
        graphql(
            "basic_auth: { username: \"a:b\" }",
            "basic_auth.username: expected a user's name without a colon, found \"a:b\""
        ),
        graphql(
            "basic_auth: { username: a, password: b, password_file: /etc/hostname }",
            "basic_auth.password_file: expected at most one of password and password_file"
        ),
        graphql("tls_config: { cert_file: /etc/hostname }", "tls_config.cert_file: expected key_file beside it"),
        graphql("tls_config: { key_file: /etc/hostname }", "tls_config.key_file: expected cert_file beside it"),
        graphql(
            "tls_config: { insecure_skip_verify: 1 }",
            "tls_config.insecure_skip_verify: expected true or false, found \"1\" (other spellings, such as yes and on, are not taken)"
        ),
        graphql(
            "proxy_url: \"proxy:3128\"",
            "proxy_url: expected a proxy's URL such as http://proxy.example.com:3128, found \"proxy:3128\""
        ),
        graphql(
            "proxy_url: \"ftp://me:hunter2@proxy\"",
            "proxy_url: expected a proxy's URL such as http://proxy.example.com:3128, found a text"
        ),
    ]

    private static func icmp(_ entries: String, _ message: String) -> Broken {
        broken(["module: icmp", "address: b"], entries, message)
    }

    private static func tcp(_ entries: String, _ message: String) -> Broken {
        broken(["module: tcp", "address: \"b:1\""], entries, message)
    }

    private static func dns(_ entries: String, _ message: String) -> Broken {
        broken(["module: dns", "address: b", "query: c"], entries, message)
    }

    private static func http(_ entries: String, _ message: String) -> Broken {
        broken(["module: http", "address: \"http://b/\""], entries, message)
    }

    private static func graphql(_ entries: String, _ message: String) -> Broken {
        broken(["module: graphql", "address: \"http://b/\"", "query: c"], entries, message)
    }

    /// A target on line 2 that is right but for `entries`, which replace what has the same keys.
    private static func broken(_ right: [String], _ entries: String, _ message: String) -> Broken {
        let others = (["name: a"] + right).filter { entry in
            let key = entry.prefix { $0 != ":" }
            return !entries.hasPrefix("\(key):") && !entries.contains(", \(key):")
        }
        return Broken(
            "targets:\n  - { \((others + [entries]).joined(separator: ", ")) }\n",
            "2: targets[0].\(message)"
        )
    }

    @Test(arguments: common + addresses + options + requests)
    func `an error has the file, the line, the key and what was expected`(broken: Broken) throws {
        let error = try #require(throws: YAMLErrors.self) {
            try Configuration.read(Array(broken.yaml.utf8), file: "test.yml", environment: [:])
        }
        #expect(error.description == "test.yml:\(broken.message)")
        #expect(!error.description.contains("hunter2"))
    }

    @Test(.enabled(if: (try? BodyPattern("a(")) == nil))
    func `a wrong pattern is told with what is wrong`() throws {
        let yaml = "targets:\n  - { name: a, module: http, address: \"http://b/\", expect: { body_regex: \"a(\" } }\n"
        let error = try #require(throws: YAMLErrors.self) {
            try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:])
        }
        let reason = try #require(throws: BodyPatternError.self) { try BodyPattern("a(") }
        #expect(
            error.description
                == "test.yml:2: targets[0].expect.body_regex: expected a regular expression: \(reason)"
        )
    }
}
