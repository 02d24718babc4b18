import FoundationEssentials
import HTTPTransfer
import Probing
import StrictYAML

extension HTTPRequestOptions {
    /// Reads `authorization`, `basic_auth`, `tls_config` and `proxy_url`, with Prometheus' words and rules.
    init(reading map: inout MappingReader) throws(YAMLError) {
        self.init()
        let authorization = try map.optional(
            "authorization",
            as: .section { (map) throws(YAMLError) in
                try Self.authorization(&map)
            }
        )
        let basic = try map.optional(
            "basic_auth",
            as: .section { (map) throws(YAMLError) in
                try Self.basicAuthorization(&map)
            }
        )
        guard authorization == nil || basic == nil else {
            throw map.error("expected at most one of authorization and basic_auth", at: "basic_auth")
        }
        self.authorization = authorization ?? basic
        tls = try map.section("tls_config") { (map) throws(YAMLError) in try Self.tls(&map) }
        proxy = try map.optional("proxy_url", as: .proxyURL)
    }

    /// The headers of the user's own.
    static func headers(
        reading map: inout MappingReader,
        isAuthorized: Bool
    ) throws(YAMLError) -> [String: String] {
        var headers: [String: String] = [:]
        var names: Set<String> = isAuthorized ? ["authorization"] : []
        for header in try map.read("headers", as: .entries(of: .headerValue, names: .headerName), default: []) {
            guard names.insert(header.name.lowercased()).inserted else {
                throw map.error("the header \(header.name) is set twice", at: "headers")
            }
            headers[header.name] = header.value
        }
        return headers
    }

    private static func authorization(_ map: inout MappingReader) throws(YAMLError) -> String {
        let type = YAMLType<String>.text("a type of authorization other than Basic, for which there is basic_auth") {
            HeaderText.isToken($0) && $0.lowercased() != "basic" ? $0 : nil
        }
        let scheme = try map.read("type", as: type, default: "Bearer")
        let credentials = try secret("credentials", reading: &map)
        guard let credentials else { throw map.error("expected credentials or credentials_file") }
        return "\(scheme) \(credentials)"
    }

    private static func basicAuthorization(_ map: inout MappingReader) throws(YAMLError) -> String {
        // RFC 7617: the first colon ends the name.
        let name = YAMLType<String>.text("a user's name without a colon") { text in
            !text.isEmpty && !text.contains(":") && HeaderText.isValue(text) ? text : nil
        }
        let username = try map.required("username", as: name)
        let password = try secret("password", reading: &map) ?? ""
        return "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"
    }

    /// A secret given here, or in a file.
    private static func secret(
        _ key: String,
        reading map: inout MappingReader
    ) throws(YAMLError) -> String? {
        let expectation = "a text of one line that is not empty"
        let text = try map.optional(key, as: .secret(expectation) { !$0.isEmpty && HeaderText.isValue($0) })
        let content = try map.optional("\(key)_file", as: .secretFile)
        guard text == nil || content == nil else {
            throw map.error("expected at most one of \(key) and \(key)_file", at: "\(key)_file")
        }
        return text ?? content
    }

    private static func tls(_ map: inout MappingReader) throws(YAMLError) -> TransferTLS {
        var tls = TransferTLS()
        tls.caFile = try map.optional("ca_file", as: .file)
        tls.certificateFile = try map.optional("cert_file", as: .file)
        tls.keyFile = try map.optional("key_file", as: .file)
        tls.serverName = try map.optional("server_name", as: .domainName)
        tls.skipsVerification = try map.read("insecure_skip_verify", as: .bool, default: false)
        if tls.certificateFile != nil, tls.keyFile == nil {
            throw map.error("expected key_file beside it", at: "cert_file")
        }
        if tls.keyFile != nil, tls.certificateFile == nil {
            throw map.error("expected cert_file beside it", at: "key_file")
        }
        return tls
    }
}
