import HTTPTransfer
import Probing
import SpeedTestCore
import StrictYAML

extension SpeedTestServer {
    /// A server of `speedtest.servers`.
    static var type: YAMLType<SpeedTestServer> {
        YAMLType(
            expectations: ["a mapping"],
            read: YAMLType.section { (map: inout MappingReader) throws(YAMLError) in
                try SpeedTestServer(reading: &map)
            }.read,
            write: { server in .mapping(server.yamlEntries.map { .init($0.0, .plain($0.1)) }) }
        )
    }

    private init(reading map: inout MappingReader) throws(YAMLError) {
        let name = try map.required("name", as: .targetName)
        let dialect = try map.required("protocol", as: YAMLType<SpeedTestProtocol>.oneOf)
        let schemes = dialect == .ndt7 ? ["http", "https", "ws", "wss"] : ["http", "https"]
        self.init(name: name, dialect: dialect, url: try map.required("url", as: .url(schemes)))
        congestionControl = try map.optional("congestion_control", as: .congestionControl)
        acceptsDataPolicy = try map.read("accept_data_policy", as: .bool, default: false)
        let request = try HTTPRequestOptions(reading: &map)
        let isAuthorized = request.authorization != nil
        headers = try HTTPRequestOptions.headers(reading: &map, isAuthorized: isAuthorized)
        if let authorization = request.authorization { headers["Authorization"] = authorization }
        (tls, proxy) = (request.tls, request.proxy)
        if dialect == .ndt7, proxy != nil || !headers.isEmpty {
            throw map.error("ndt7 takes no headers, credentials or proxy", at: proxy == nil ? "headers" : "proxy_url")
        }
    }

    private var yamlEntries: [(String, String)] {
        var entries = [
            ("name", EntryText.quoted(name)), ("protocol", dialect.rawValue),
            ("url", EntryText.quoted(url)),
        ]
        if let congestionControl { entries.append(("congestion_control", EntryText.quoted(congestionControl))) }
        if acceptsDataPolicy { entries.append(("accept_data_policy", "true")) }
        var request = HTTPRequestOptions()
        (request.tls, request.proxy, request.authorization) = (tls, proxy, headers["Authorization"])
        let others = headers.keys.filter { $0 != "Authorization" }.sorted()
        if !others.isEmpty {
            entries.append(("headers", EntryText.flow(others.map { (EntryText.quoted($0), EntryText.secret) })))
        }
        return entries + request.yamlEntries
    }
}
