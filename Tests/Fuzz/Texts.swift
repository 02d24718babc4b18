import HTTPTransfer
import Lab
import Probing
import StrictYAML

/// What files, web servers and routers say in text.
extension Fuzzer {
    static let texts: [Fuzzer] = [yaml, url, certificateDate, captivePortal, portalOption, graphQL, bodyPattern, body]

    private static var yaml: Fuzzer {
        let expander = Expander(environment: ["NAME": "x"])
        return Fuzzer(
            name: "yaml",
            rounds: 20_000,
            corpus: [
                Array(
                    """
                    # a comment
                    path: &p
                      expensive: auto
                      settle: { quiet: 50ms, max: "1h30m" }
                      limit: 64MiB
                    targets:
                      - { name: router, module: icmp }
                      - name: "a\\u00e9\\n"
                        module: http
                        status: [200, 204]
                        headers: { A: &h 'x', B: *h, C: |
                          block
                          text
                        }
                      - name: >-
                          ${NAME:-folded
                          text}
                    requirements:
                      video: 1%
                      audio: 0.5

                    """.utf8
                )
            ],
            pieces: [
                "&a ", "*a", "*h", "*p", "<<: ", "!!str ", "|", ">", "- ", "? ", ": ", "{", "}", "[", "]", "\t", "\n",
                "\r",
                "#", "%", "---\n", "...\n", "\"", "'", "\\", "${", "}", "\u{0}", "\u{FEFF}", "\u{2028}",
                "9999999999999999999", "-1", "1e999", "nan", "99999999999w", "999999999999TiB", "é", "👩‍👩‍👧", "~", "null",
                "\\ud800", "\\x00", "   ",
            ].map { Array($0.utf8) },
            read: { bytes in
                do throws(YAMLError) {
                    _ = try YAML.read(
                        bytes.span,
                        file: "f",
                        as: .section(YAMLSample.init(reading:)),
                        expander: expander
                    )
                    return true
                } catch {
                    guard error.line >= 1, error.line <= bytes.count + 1, !error.message.isEmpty else {
                        throw Finding("the error's line is \(error.line), its text “\(error.message)”")
                    }
                    return false
                }
            }
        )
    }

    private static var url: Fuzzer {
        Fuzzer(
            name: "url",
            rounds: 100_000,
            corpus: texts(
                "http://example.test/a?b#c",
                "https://[2001:db8::1]:8443/",
                "https://user@192.0.2.1:1/%00/../"
            ),
            pieces: texts("@", ":", "[", "]", "%", "/", "//", "?", "#", "65536", "\r\n", " ", "http://", "[::]", "\\"),
            read: fuzzURL
        )
    }

    private static var certificateDate: Fuzzer {
        Fuzzer(
            name: "certificate date",
            rounds: 100_000,
            corpus: texts("2026-11-21 12:00:00 GMT", "2024-02-29 00:00:00 GMT", "9999-12-31 23:59:59 GMT"),
            pieces: texts("0", "1", "2", "9", "-", ":", " ", "29", "31", "60", "GMT"),
            read: fuzzCertificateDate
        )
    }

    private static var captivePortal: Fuzzer {
        Fuzzer(
            name: "captive portal",
            rounds: 100_000,
            corpus: texts(
                """
                {"captive": true, "user-portal-url": "https://example.org/portal.html", "seconds-remaining": 326,
                "bytes-remaining": 18446744073709551615, "can-extend-session": true, "venue-info-url": null, "x": [{}]}
                """
            ),
            pieces: json,
            read: fuzzCaptivePortal
        )
    }

    private static var portalOption: Fuzzer {
        Fuzzer(
            name: "portal option",
            rounds: 100_000,
            corpus: texts("https://portal.example.org/api\u{0}\u{0}", "urn:ietf:params:capport:unrestricted"),
            pieces: texts("https://", "HTTP", "\u{0}", "é"),
            read: fuzzPortalOption
        )
    }

    private static var graphQL: Fuzzer {
        Fuzzer(
            name: "graphql",
            rounds: 100_000,
            corpus: texts(
                #"{"data":{"a":[1,2.5e3,true,null]},"errors":[]}"#,
                #"{"errors":[{"message":"\u00e4\ud83d\ude00"}],"data":null}"#
            ),
            pieces: json + texts(#"[[[{"data":"x"}]]]"#, "\u{feff}", String(repeating: "[", count: 600)),
            read: fuzzGraphQL
        )
    }

    /// Patterns of an operator against one body.
    private static var bodyPattern: Fuzzer {
        let body = Array("ab01 ß<ab>#!".utf8)
        return Fuzzer(
            name: "pattern",
            rounds: 20_000,
            corpus: texts("(?<=a.)b|^(x(?1)?y)$", #"(\w+)\s\1"#, "[äöü]+.€?", "(a|b)*+?"),
            pieces: "ab()[]{}*+?|\\^$.<>=!:-,0129Qx#ßP&".map { Array(String($0).utf8) },
            cuts: false,
            read: { source in
                guard let pattern = try? BodyPattern(String(decoding: source, as: UTF8.self)) else { return false }
                _ = pattern.match(body)
                return true
            }
        )
    }

    /// Bodies of a server against an operator's patterns.
    private static var body: Fuzzer {
        let sources = [#"(?i)"status":\s*"(up|ok)""#, "[äöü]+.€?", #"(\w+)\s\1"#, "(?<=a.)b|^(x(?1)?y)$", #"\bé\B.$"#]
        let patterns = sources.compactMap { try? BodyPattern($0) }
        return Fuzzer(
            name: "body",
            rounds: 50_000,
            corpus: texts("\"Status\": \"ok\"", "äö x\u{20ac}é", "ab ab", "xxyy"),
            pieces: texts("ä", "\u{20ac}", "é", " ab ab", "\"status\": \"up\"") + [[0xc3], [0xe2, 0x82], [0xff]],
            cuts: false,
            read: { body in
                guard patterns.count == sources.count else { throw Finding("a pattern does not compile") }
                return patterns.map { $0.match(body) }.contains(.matched)
            }
        )
    }

    private static let json = texts("\"", "[", "{", "}", "]", ",", ":", "9e9", "-", "\\u", "null", "true", "1e400")

    private static func texts(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
}

/// A configuration with one of everything.
private struct YAMLSample {
    init(reading map: inout MappingReader) throws(YAMLError) {
        _ = try map.section("path") { (map: inout MappingReader) throws(YAMLError) in
            _ = try map.read("expensive", as: .keyword("auto", or: .bool), default: nil)
            _ = try map.read("limit", as: .byteSize, default: 1000)
            _ = try map.section("settle") { (map: inout MappingReader) throws(YAMLError) in
                _ = try map.read("quiet", as: .duration, default: .milliseconds(50))
                _ = try map.read("max", as: .duration, default: .milliseconds(250))
            }
        }
        let target = YAMLType.section { (map: inout MappingReader) throws(YAMLError) in
            _ = try map.required("name", as: .nonEmptyString)
            _ = try map.optional("module", as: .string)
            _ = try map.read("status", as: .oneOrMore(of: .int(in: 100...599)), default: [200])
            _ = try map.read("headers", as: .dictionary(of: .string), default: [])
        }
        _ = try map.read("targets", as: .list(of: target), default: [])
        _ = try map.read("requirements", as: .dictionary(of: .ratio), default: [])
    }
}
