import Lab
import StrictYAML
import Testing

@testable import NetworkHealthExporter

@Suite struct ConfigurationFuzzTests {
    private static let seeds = [
        "path: { expensive: auto, anchors: { ipv4: 1.1.1.1 }, settle: { quiet: 50ms } }",
        """
        internet:
          interval: 30s
          probes: [{ name: a, url: "https://[2001:db8::1]:8443/x?y", expect: { body_prefix: "z" } }]
          literals: ["1.1.1.1:443", "[2606:4700::1]:443"]
        """,
        "targets:\n  - { name: r, module: icmp, address: _gateway, interval: 1s, labels: { a: b } }\n",
        "targets:\n  - { name: d, module: dns, address: \"[::1]:53\", query: example.com, type: TXT }\n",
        """
        targets:
          - { name: h, module: http, address: "https://x/y", expect: { status: [200, 204], body_regex: "a+" } }
        """,
        """
        targets:
          - name: g
            module: graphql
            address: "http://x/"
            query: "{ a }"
            headers: { A: b }
            basic_auth: { username: a, password: b }
            proxy_url: "http://a:b@c:1"
        """,
        """
        requirements: { own: { quality: good, max_loss: 1%, min_download: 4Mbps, max_age: 12h, targets: [a], hold: 5s } }
        health: { stale_after: auto, unmeasured: fail }
        history: { retention: 90d }
        """,
        "targets:\n  - { name: t, module: tcp, address: \"x:1\", tls: true, server_name: y, ip_family: ipv4 }\n",
    ].map { Array($0.utf8) }

    /// Pieces that mean something to the readers.
    private static let pieces = [
        "_gateway", "http://", "https://", "@", ":", "[", "]", "[]", "{}", "::", "%", "/", "?", "#", ".", "..", "0",
        "-1",
        "65536", "99999999999999999999", "9w", "\"", "\\", "\n", "\n  - ", ", ", "${", "}", "~", "null", "ü", "\u{0}",
        "\u{85}", "a: ", "name: ", "module: tcp", "proxy_url: \"http://a:b@c\"", "authorization: { credentials: a }",
        "tls: true", "type: MX", "labels: { c: d }", "*a", "&a ",
    ].map { Array($0.utf8) }

    @Test(.timeLimit(.minutes(5))) func `50000 mutated files are read or refused, and what is read can be printed`() {
        var random = SplitMix64(state: 20_261_121)
        var (read, refused) = (0, 0)
        for _ in 0..<50_000 {
            let seed = Self.seeds.randomElement(using: &random) ?? []
            let bytes = Self.mutated(seed, using: &random)
            do throws(YAMLErrors) {
                let configuration = try Configuration.read(bytes, file: "/nonexistent/f", environment: [:])
                read += 1
                guard read.isMultiple(of: 10) else { continue }
                let printed = configuration.yaml
                let again = try? Configuration.read(Array(printed.utf8), file: "/nonexistent/f", environment: [:])
                #expect(again?.yaml == printed)
            } catch {
                refused += 1
                #expect((1...YAMLErrors.limit).contains(error.errors.count))
                for error in error.errors {
                    #expect(error.line >= 1 && error.line <= bytes.count + 1 && !error.message.isEmpty)
                }
            }
        }
        // Both outcomes must occur, or the mutations test nothing.
        #expect(read > 2000)
        #expect(refused > 5000)
    }

    private static func mutated(_ seed: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...4, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where start < end: bytes[start] = UInt8.random(in: 0x20...0x7e, using: &random)
            case 1: bytes.removeSubrange(start..<end)
            case 2: bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
            default: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: start)
            }
        }
        return bytes
    }
}
