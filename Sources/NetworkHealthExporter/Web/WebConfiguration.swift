import MicroHTTP
import StrictYAML

/// The file of `--web.config.file`, with the keys of Prometheus' exporter-toolkit.
struct WebConfiguration: Sendable, Equatable {
    var tls = TLSServerSection()
    var http = HTTPServerSection()
    var users: [String: BcryptHash] = [:]
    /// Takes the place of keys that are refused.
    private var refused: Unsupported?

    /// The whole file.
    static var type: YAMLType<WebConfiguration> {
        .section(
            WebConfiguration(),
            [
                .section("tls_server_config", \.tls, TLSServerSection.keys, complete: TLSServerSection.complete),
                .section("http_server_config", \.http, HTTPServerSection.keys, complete: HTTPServerSection.complete),
                .key("basic_auth_users", \.users, .dictionary(of: .bcryptHash, names: .userName)),
                .key(
                    "rate_limit",
                    \.refused,
                    .unsupported("this exporter limits connections instead of requests: remove the key")
                ),
            ]
        )
    }

    /// Parses the file; `${NAME}` is plain text there, as it is for the exporter-toolkit.
    static func parse(_ content: [UInt8], file: String) throws(YAMLErrors) -> (WebConfiguration, YAMLDocument) {
        let document = try YAMLDocument(content.span, file: file, expander: nil)
        return (try document.read(as: type), document)
    }
}

/// `http_server_config`.
struct HTTPServerSection: Sendable, Equatable {
    /// Accepted and ignored: the server speaks HTTP/1.1 only.
    var allowsHTTP2 = true
    var headers: [String: String] = [:]

    /// The headers that may be set, and their values where there are only some.
    private static let allowed: [String: [String]] = [
        "Content-Security-Policy": [], "Strict-Transport-Security": [], "X-XSS-Protection": [],
        "X-Content-Type-Options": ["nosniff"], "X-Frame-Options": ["deny", "sameorigin"],
    ]

    static var keys: [YAMLKey<HTTPServerSection>] {
        let name = YAMLType.text("one of \(allowed.keys.sorted().joined(separator: ", "))") { text in
            allowed[text] == nil ? nil : text
        }
        return [
            .key("http2", \.allowsHTTP2, .bool),
            .key("headers", \.headers, .dictionary(of: .plainHeaderValue, names: name)),
        ]
    }

    static func complete(_ section: inout HTTPServerSection, _ map: MappingReader) throws(YAMLError) {
        for (name, value) in section.headers.sorted(by: { $0.key < $1.key }) {
            guard let values = allowed[name], !values.isEmpty, !values.contains(value) else { continue }
            let expected = values.joined(separator: " or ")
            throw map.error("expected \(expected) for \(name), found \(JSONText.quoted(value))", at: "headers")
        }
    }
}

/// A key that this exporter does not have.
struct Unsupported: Sendable, Equatable {}

extension YAMLType {
    /// A key of the exporter-toolkit that is an error, since it would have no effect; an empty list sets nothing.
    static func unsupported(_ reason: String) -> YAMLType where Value == Unsupported? {
        YAMLType(expectations: ["nothing"]) { cursor throws(YAMLError) in
            guard case .sequence(let elements) = cursor.node.kind, elements.isEmpty else {
                throw cursor.error("not supported: \(reason)")
            }
            return nil
        }
    }
}

extension YAMLType where Value == String {
    /// A user of `basic_auth_users`; a client's colon ends the name.
    fileprivate static var userName: YAMLType {
        .text("a user's name without a colon") { $0.isEmpty || $0.contains(":") ? nil : $0 }
    }

    /// The value of a header that is no secret.
    fileprivate static var plainHeaderValue: YAMLType {
        .text("a header's value: one line without control characters") { HeaderText.isValue($0) ? $0 : nil }
    }
}

extension YAMLType where Value == BcryptHash {
    /// A text that no message shows: it may be a password that was meant to be hashed.
    fileprivate static var bcryptHash: YAMLType {
        YAMLType(expectations: [BcryptHash.expectation]) { cursor throws(YAMLError) in
            let text = try YAMLType<String>.secret(BcryptHash.expectation) { _ in true }.read(cursor)
            do throws(BcryptError) {
                return try BcryptHash(text)
            } catch {
                throw cursor.error(error.description)
            }
        }
    }
}
