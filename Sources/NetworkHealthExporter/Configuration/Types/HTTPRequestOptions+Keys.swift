import FoundationEssentials
import HTTPTransfer
import Probing
import StrictYAML

extension HTTPRequestOptions {
    /// `authorization`, `basic_auth`, `tls_config` and `proxy_url`, with the names and rules of Prometheus.
    static var keys: [YAMLKey<HTTPRequestOptions>] {
        [
            .key("authorization", \.authorization, .optional(.authorization)),
            .key("basic_auth", \.authorization, .optional(.basicAuthorization)),
            .key("tls_config", \.tls, YAMLType.tls.omitted { $0 == TransferTLS() }),
            .key("proxy_url", \.proxy, .optional(.proxyURL)),
        ]
    }

    /// Checks the rules between these keys and `headers`.
    static func check(_ map: MappingReader) throws(YAMLError) {
        guard !map.contains("authorization") || !map.contains("basic_auth") else {
            throw map.error("expected at most one of authorization and basic_auth", at: "basic_auth")
        }
        let own = map.names(in: "headers").first { $0.lowercased() == "authorization" }
        if let own, map.contains("authorization") || map.contains("basic_auth") {
            throw map.error("the header \(own) is set twice", at: "headers")
        }
    }
}

extension YAMLType where Value == [String: String] {
    /// The headers of the user's own, each of which occurs once.
    static var headers: YAMLType {
        let entries = YAMLType<[NamedValue<String>]>.entries(of: .headerValue, names: .headerName)
        let dictionary = dictionary(of: .headerValue, names: .headerName)
        return YAMLType(
            expectations: entries.expectations,
            read: { cursor throws(YAMLError) in
                var names: Set<String> = []
                for header in try entries.read(cursor) where !names.insert(header.name.lowercased()).inserted {
                    throw cursor.error("the header \(header.name) is set twice")
                }
                return try dictionary.read(cursor)
            },
            write: dictionary.write
        )
    }
}

extension YAMLType where Value == TransferTLS {
    /// `tls_config`.
    fileprivate static var tls: YAMLType {
        .section(
            TransferTLS(),
            [
                .key("ca_file", \.caFile, .optional(.certificates)),
                .key("cert_file", \.certificateFile, .optional(.file)),
                .key("key_file", \.keyFile, .optional(.file)),
                .key("server_name", \.serverName, .optional(.domainName)),
                .key("insecure_skip_verify", \.skipsVerification, YAMLType<Bool>.bool.omitted { !$0 }),
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

/// The header Authorization in its parts.
private struct Credentials {
    /// The type, or for Basic the user's name.
    var name: String
    var secret: String?

    static let basic = "Basic "

    /// Of `credentials` and `credentials_file`, or of `password` and `password_file`.
    static func secretKeys(_ name: String) -> [YAMLKey<Credentials>] {
        let text = YAMLType<String>.secret("a text of one line that is not empty") { text in
            !text.isEmpty && HeaderText.isValue(text)
        }
        return [.key(name, \.secret, .optional(text)), .key("\(name)_file", \.secret, .optional(.secretFile))]
    }

    static func checkSecret(_ name: String, _ map: MappingReader) throws(YAMLError) {
        guard !map.contains(name) || !map.contains("\(name)_file") else {
            throw map.error("expected at most one of \(name) and \(name)_file", at: "\(name)_file")
        }
    }
}

extension YAMLType where Value == String {
    /// The header Authorization of any type but Basic.
    fileprivate static var authorization: YAMLType {
        let scheme = YAMLType.text("a type of authorization other than Basic, for which there is basic_auth") { text in
            HeaderRules.isName(text) && text.lowercased() != "basic" ? text : nil
        }
        return YAMLType<Credentials>.section(
            Credentials(name: "Bearer"),
            [.key("type", \.name, scheme)] + Credentials.secretKeys("credentials"),
            complete: { (credentials, map) throws(YAMLError) in
                try Credentials.checkSecret("credentials", map)
                guard credentials.secret != nil else { throw map.error("expected credentials or credentials_file") }
            }
        )
        .mapped(
            { "\($0.name) \($0.secret ?? "")" },
            { header in
                let parts = header.split(separator: " ", maxSplits: 1).map(String.init)
                return Credentials(name: parts.first ?? "", secret: parts.last)
            }
        )
        .omitted { $0.hasPrefix(Credentials.basic) }
    }

    /// The header Authorization of the type Basic.
    fileprivate static var basicAuthorization: YAMLType {
        // RFC 7617: the first colon ends the name.
        let name = YAMLType.text("a user's name without a colon") { text in
            !text.isEmpty && !text.contains(":") && HeaderText.isValue(text) ? text : nil
        }
        return YAMLType<Credentials>.section(
            Credentials(name: ""),
            [.required("username", \.name, name)] + Credentials.secretKeys("password"),
            complete: { (_, map) throws(YAMLError) in try Credentials.checkSecret("password", map) }
        )
        .mapped(
            { credentials in
                let text = "\(credentials.name):\(credentials.secret ?? "")"
                return Credentials.basic + Data(text.utf8).base64EncodedString()
            },
            { header in
                let decoded = Data(base64Encoded: String(header.dropFirst(Credentials.basic.count))) ?? Data()
                let name = String(decoding: decoded.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
                return Credentials(name: name, secret: "")
            }
        )
        .omitted { !$0.hasPrefix(Credentials.basic) }
    }
}
