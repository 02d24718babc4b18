import FoundationEssentials
import HTTPTransfer
import Probing

extension HTTPRequestOptions {
    /// What stands beside a request's own keys, secrets masked.
    var yamlEntries: [(String, String)] {
        var entries: [(String, String)] = []
        if let authorization { entries.append(Self.masked(authorization)) }
        if tls != TransferTLS() { entries.append(("tls_config", EntryText.flow(tls.yamlEntries))) }
        if let proxy { entries.append(("proxy_url", EntryText.quoted(WebURL.masked(proxy)))) }
        return entries
    }

    private static func masked(_ authorization: String) -> (String, String) {
        let parts = authorization.split(separator: " ", maxSplits: 1).map(String.init)
        if parts.count == 2, parts[0] == "Basic", let decoded = Data(base64Encoded: parts[1]) {
            let name = String(decoding: decoded.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
            return (
                "basic_auth", EntryText.flow([("username", EntryText.quoted(name)), ("password", EntryText.secret)])
            )
        }
        let type = EntryText.quoted(parts.first ?? "")
        return ("authorization", EntryText.flow([("type", type), ("credentials", EntryText.secret)]))
    }
}

extension TransferTLS {
    /// Prometheus' `tls_config`.
    var yamlEntries: [(String, String)] {
        let files = [
            ("ca_file", caFile), ("cert_file", certificateFile), ("key_file", keyFile), ("server_name", serverName),
        ]
        return files.compactMap { key, value in value.map { (key, EntryText.quoted($0)) } }
            + (skipsVerification ? [("insecure_skip_verify", "true")] : [])
    }
}
