import FoundationEssentials
import HTTPTransfer
import Probing
import StrictYAML

extension HTTPRequestOptions {
    /// The keys that requests of targets and of speed tests share, with the names and rules of Prometheus.
    static var keys: [YAMLKey<HTTPRequestOptions>] {
        [
            .key("authorization", \.scheme, .optional(Scheme.type)),
            .key("basic_auth", \.basic, .optional(Basic.type)),
            .key("tls_config", \.tls, TransferTLS.type.omitted { $0 == TransferTLS() }),
            .key("proxy_url", \.proxy, .optional(.proxyURL)),
        ]
    }

    /// Rules between these keys.
    static func check(_ map: MappingReader) throws(YAMLError) {
        guard map.contains("authorization"), map.contains("basic_auth") else { return }
        throw map.error("expected at most one of authorization and basic_auth", at: "basic_auth")
    }

    /// `authorization`; nil where `basic_auth` is set.
    private var scheme: String? {
        get { basic == nil ? authorization : nil }
        set { if let newValue { authorization = newValue } }
    }

    private var basic: String? {
        get { authorization.flatMap { Basic(header: $0) == nil ? nil : $0 } }
        set { if let newValue { authorization = newValue } }
    }
}

extension YAMLType where Value == [String: String] {
    /// The user's own headers.
    ///
    /// - Parameter isAuthorized: whether the header `Authorization` is set by another key.
    /// - Returns: the type, which refuses a header that is set twice.
    static func headers(isAuthorized: Bool) -> YAMLType {
        let entries = YAMLType<[NamedValue<String>]>.entries(of: .headerValue, names: .headerName)
        let dictionary = YAMLType.dictionary(of: .headerValue, names: .headerName)
        return YAMLType(
            expectations: entries.expectations,
            keys: entries.keys,
            read: { cursor throws(YAMLError) in
                var headers: [String: String] = [:]
                var names: Set<String> = isAuthorized ? ["authorization"] : []
                for header in try entries.read(cursor) {
                    guard names.insert(header.name.lowercased()).inserted else {
                        throw cursor.error("the header \(header.name) is set twice")
                    }
                    headers[header.name] = header.value
                }
                return headers
            },
            write: dictionary.write
        )
    }
}

/// The key `authorization`.
private struct Scheme {
    var name = "Bearer"
    var credentials: String?

    /// The value of the header.
    static var type: YAMLType<String> {
        let name = YAMLType<String>.text("a type of authorization other than Basic, for which there is basic_auth") {
            HeaderText.isToken($0) && $0.lowercased() != "basic" ? $0 : nil
        }
        return YAMLType<Scheme>.section(
            Scheme(),
            [.key("type", \.name, name)] + .secret("credentials", \.credentials),
            complete: { (scheme, map) throws(YAMLError) in
                try map.checkSecret("credentials")
                if scheme.credentials == nil { throw map.error("expected credentials or credentials_file") }
            }
        )
        .mapped(
            { "\($0.name) \($0.credentials ?? "")" },
            { header in
                let parts = header.split(separator: " ", maxSplits: 1).map(String.init)
                return Scheme(name: parts.first ?? "", credentials: parts.last)
            }
        )
    }
}

/// The key `basic_auth`.
private struct Basic {
    var name = ""
    var password: String?

    init() {}

    /// nil for another header.
    init?(header: String) {
        let parts = header.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[0] == "Basic", let decoded = Data(base64Encoded: parts[1]) else { return nil }
        let text = String(decoding: decoded, as: UTF8.self)
        name = String(text.prefix { $0 != ":" })
        password = String(text.dropFirst(name.count + 1))
    }

    /// The value of the header.
    static var type: YAMLType<String> {
        // RFC 7617: the first colon ends the name.
        let name = YAMLType<String>.text("a user's name without a colon") { text in
            !text.isEmpty && !text.contains(":") && HeaderText.isValue(text) ? text : nil
        }
        return YAMLType<Basic>.section(
            Basic(),
            [.required("username", \.name, name)] + .secret("password", \.password),
            complete: { (_, map) throws(YAMLError) in try map.checkSecret("password") }
        )
        .mapped(
            { "Basic \(Data("\($0.name):\($0.password ?? "")".utf8).base64EncodedString())" },
            { Basic(header: $0) ?? Basic() }
        )
    }
}

extension Array {
    /// A secret in the configuration, or in the file that `…_file` names.
    fileprivate static func secret<Root>(_ key: String, _ path: WritableKeyPath<Root, String?>) -> [YAMLKey<Root>]
    where Element == YAMLKey<Root> {
        let text = YAMLType<String>.secret("a text of one line that is not empty") {
            !$0.isEmpty && HeaderText.isValue($0)
        }
        return [.key(key, path, .optional(text)), .key("\(key)_file", path, .optional(.secretFile))]
    }
}

extension MappingReader {
    fileprivate func checkSecret(_ key: String) throws(YAMLError) {
        guard contains(key), contains("\(key)_file") else { return }
        throw error("expected at most one of \(key) and \(key)_file", at: "\(key)_file")
    }
}

extension TransferTLS {
    /// The key `tls_config` of Prometheus.
    fileprivate static var type: YAMLType<TransferTLS> {
        .section(
            TransferTLS(),
            [
                .key("ca_file", \.caFile, .optional(.file)),
                .key("cert_file", \.certificateFile, .optional(.file)),
                .key("key_file", \.keyFile, .optional(.file)),
                .key("server_name", \.serverName, .optional(.domainName)),
                .key("insecure_skip_verify", \.skipsVerification, YAMLType.bool.omitted { !$0 }),
            ],
            complete: { (tls, map) throws(YAMLError) in
                if tls.certificateFile != nil, tls.keyFile == nil {
                    throw map.error("expected key_file beside it", at: "cert_file")
                }
                if tls.keyFile != nil, tls.certificateFile == nil {
                    throw map.error("expected cert_file beside it", at: "key_file")
                }
            }
        )
    }
}
