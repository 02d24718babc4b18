import NetworkHealthExporter
import StrictYAML

/// Configuration files, as an operator may break them.
extension FuzzReader {
    static var yaml: FuzzReader {
        let expander = Expander(environment: ["NAME": "x"])
        return FuzzReader(
            seeds: [
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
            words: [
                "&a ", "*a", "*h", "*p", "<<: ", "!!str ", "|", ">", "- ", "? ", ": ", "{", "}", "[", "]", "\t", "\n",
                "\r",
                "#", "%", "---\n", "...\n", "\"", "'", "\\", "${", "}", "\u{0}", "\u{FEFF}", "\u{2028}",
                "9999999999999999999", "-1", "1e999", "nan", "99999999999w", "999999999999TiB", "é", "👩‍👩‍👧", "~", "null",
                "\\ud800", "\\x00", "   ",
            ].map { Array($0.utf8) },
            read: { bytes in
                let tree = try? YAML.parse(bytes.span, file: "f")
                if let tree { try expectSameAfterPrinting(tree) }
                do throws(YAMLErrors) {
                    _ = try YAML.read(
                        bytes.span,
                        file: "f",
                        as: YAMLSample.type,
                        expander: expander
                    )
                    return true
                } catch {
                    for error in error.errors {
                        let isPlaced = error.line >= 1 && error.line <= bytes.count + 1 && !error.message.isEmpty
                        guard isPlaced else {
                            throw Finding("the error's line is \(error.line), its text “\(error.message)”")
                        }
                    }
                    return false
                }
            }
        )
    }

    /// Whole files of an operator; the seeds are files.
    static var configuration: FuzzReader {
        FuzzReader(
            words: texts(
                "_gateway",
                "http://",
                "https://",
                "@",
                ":",
                "[",
                "]",
                "[]",
                "{}",
                "::",
                "%",
                "/",
                "?",
                "#",
                ".",
                "..",
                "0",
                "-1",
                "65536",
                "99999999999999999999",
                "9w",
                "\"",
                "\\",
                "\n",
                "\n  - ",
                ", ",
                "${",
                "}",
                "~",
                "null",
                "ü",
                "\u{0}",
                "\u{85}",
                "a: ",
                "name: ",
                "module: tcp",
                "proxy_url: \"http://a:b@c\"",
                "authorization: { credentials: a }",
                "tls: true",
                "type: MX",
                "labels: { c: d }",
                "*a",
                "&a "
            ),
            read: fuzzConfiguration
        )
    }

    /// The files of `--web.config.file`; the seeds are files.
    static var webConfiguration: FuzzReader {
        FuzzReader(
            words: texts(
                "cert: |\n",
                "key: |\n",
                "client_ca: |\n",
                "-----BEGIN ",
                "client_auth_type: ",
                "RequireAnyClientCert",
                "client_allowed_sans: [a]",
                "min_version: TLS13",
                "max_version: TLS10",
                "$2y$10$",
                "$2b$14$",
                "headers: ",
                "X-Frame-Options: deny",
                "cipher_suites: [A]",
                "\n",
                "\n  ",
                ": ",
                "{",
                "}",
                "\"",
                "''"
            ),
            read: fuzzWebConfiguration
        )
    }

    /// What was parsed, printed and parsed again has the same texts at the same paths.
    private static func expectSameAfterPrinting(_ tree: YAMLNode) throws {
        let text = printed(tree)
        let again = try YAML.parse(Array(text.utf8).span, file: "f")
        guard values(again) == values(tree), printed(again) == text else {
            throw Finding("it reads otherwise after printing")
        }
    }

    /// Every text with the path to it, whatever its quotes and its place in the file.
    private static func values(_ node: YAMLNode, at path: String = "") -> [String] {
        switch node.kind {
        case .scalar(let text, _): ["\(path)=\(text)"]
        case .sequence(let nodes):
            ["\(path)[\(nodes.count)]"] + nodes.enumerated().flatMap { values($1, at: "\(path)[\($0)]") }
        case .mapping(let entries):
            ["\(path){\(entries.count)}"] + entries.flatMap { values($0.value, at: "\(path).\($0.key)") }
        }
    }

    /// YAML in flow style with every text in double quotes and every character beyond printable ASCII escaped.
    private static func printed(_ node: YAMLNode) -> String {
        func quoted(_ text: String) -> String {
            let scalars = text.unicodeScalars.map { scalar in
                let isPlain = scalar.isASCII && scalar.value >= 0x20 && !["\"", "\\", "\u{7F}"].contains(scalar)
                guard !isPlain else { return String(scalar) }
                let digits = String(scalar.value, radix: 16)
                return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
            return "\"\(scalars.joined())\""
        }
        switch node.kind {
        case .scalar(let text, _): return quoted(text)
        case .sequence(let nodes): return "[\(nodes.map(printed).joined(separator: ", "))]"
        case .mapping(let entries):
            return "{\(entries.map { "? \(quoted($0.key)) : \(printed($0.value))" }.joined(separator: ", "))}"
        }
    }
}

/// A configuration with one of everything.
private struct YAMLSample {
    struct Target {
        var name = ""
        var module: String?
        var statuses = [200]
        var headers: [String: String] = [:]
    }

    var expensive: Bool?
    var limit = 1000
    var quiet = Duration.milliseconds(50)
    var max = Duration.milliseconds(250)
    var targets: [Target] = []
    var requirements: [NamedValue<Double>] = []

    static var type: YAMLType<YAMLSample> {
        let target = YAMLType.section(
            Target(),
            [
                .required("name", \.name, .nonEmptyString), .key("module", \.module, .optional(.string)),
                .key("status", \.statuses, .oneOrMore(of: .int(in: 100...599))),
                .key("headers", \.headers, .dictionary(of: .string)),
            ]
        )
        let path: [YAMLKey<YAMLSample>] = [
            .key("expensive", \.expensive, .keyword("auto", or: .bool)), .key("limit", \.limit, .byteSize),
            .section("settle", \.self, [.key("quiet", \.quiet, .duration), .key("max", \.max, .duration)]),
        ]
        return .section(
            YAMLSample(),
            [
                .section("path", \.self, path), .key("targets", \.targets, .list(of: target)),
                .key("requirements", \.requirements, .entries(of: .ratio)),
            ]
        )
    }
}
