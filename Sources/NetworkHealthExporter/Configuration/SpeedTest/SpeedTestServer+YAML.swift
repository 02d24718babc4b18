import Probing
import SpeedTestCore
import StrictYAML

extension SpeedTestServer {
    init(reading map: inout MappingReader, in folder: ConfigurationFolder) throws(YAMLError) {
        let name = try map.required("name", as: .targetName)
        let dialect = try map.required("protocol", as: YAMLType<SpeedTestProtocol>.oneOf)
        let schemes = dialect == .ndt7 ? ["http", "https", "ws", "wss"] : ["http", "https"]
        self.init(name: name, dialect: dialect, url: try map.required("url", as: .url(schemes)))
        congestionControl = try map.optional("congestion_control", as: .congestionControl)
        acceptsDataPolicy = try map.read("accept_data_policy", as: .bool, default: false)
        let request = try HTTPRequestOptions(reading: &map, in: folder)
        let isAuthorized = request.authorization != nil
        headers = try HTTPRequestOptions.headers(reading: &map, isAuthorized: isAuthorized)
        if let authorization = request.authorization { headers["Authorization"] = authorization }
        (tls, proxy) = (request.tls, request.proxy)
        if dialect == .ndt7, proxy != nil || !headers.isEmpty {
            throw map.error("ndt7 takes no headers, credentials or proxy", at: proxy == nil ? "headers" : "proxy_url")
        }
    }

    /// The server as a flow mapping, secrets masked.
    var yamlEntries: [(String, String)] {
        var entries = [
            ("name", YAMLText.quoted(name)), ("protocol", dialect.rawValue),
            ("url", YAMLText.quoted(url)),
        ]
        if let congestionControl { entries.append(("congestion_control", YAMLText.quoted(congestionControl))) }
        if acceptsDataPolicy { entries.append(("accept_data_policy", "true")) }
        var request = HTTPRequestOptions()
        (request.tls, request.proxy, request.authorization) = (tls, proxy, headers["Authorization"])
        let others = headers.keys.filter { $0 != "Authorization" }.sorted()
        if !others.isEmpty {
            entries.append(("headers", YAMLText.flow(others.map { (YAMLText.quoted($0), YAMLText.secret) })))
        }
        return entries + request.yamlEntries
    }
}

extension YAMLType where Value == String {
    /// What the kernel may know by that name.
    static var congestionControl: YAMLType {
        .text("the name of a congestion control such as cubic or bbr") { text in
            SpeedTestServer.isCongestionControl(text) ? text : nil
        }
    }
}
