import Probing
import SpeedTestCore
import StrictYAML

extension SpeedTestServer {
    /// A server of `speedtest.servers`.
    static var type: YAMLType<SpeedTestServer> {
        let base: [YAMLKey<SpeedTestServer>] = [
            .required("name", \.name, .targetName),
            .required("protocol", \.dialect, .oneOf),
            .required("url", \.url) { .url($0.dialect == .ndt7 ? ["http", "https", "ws", "wss"] : ["http", "https"]) },
            .key("congestion_control", \.congestionControl, .optional(.congestionControl)),
            .key("accept_data_policy", \.acceptsDataPolicy, YAMLType.bool.omitted { !$0 }),
        ]
        let headers = YAMLKey<SpeedTestServer>.key("headers", \.ownHeaders) {
            YAMLType.headers(isAuthorized: $0.headers[authorization] != nil).omitted(\.isEmpty)
        }
        return .section(
            SpeedTestServer(name: "", dialect: .ndt7, url: ""),
            base + HTTPRequestOptions.keys.of(\.request) + [headers],
            complete: { (server, map) throws(YAMLError) in
                try HTTPRequestOptions.check(map)
                guard server.dialect == .ndt7, server.proxy != nil || !server.headers.isEmpty else { return }
                let key = server.proxy == nil ? "headers" : "proxy_url"
                throw map.error("ndt7 takes no headers, credentials or proxy", at: key)
            }
        )
    }

    private static let authorization = "Authorization"

    private var request: HTTPRequestOptions {
        get {
            var request = HTTPRequestOptions()
            (request.tls, request.proxy, request.authorization) = (tls, proxy, headers[Self.authorization])
            return request
        }
        set { (tls, proxy, headers[Self.authorization]) = (newValue.tls, newValue.proxy, newValue.authorization) }
    }

    private var ownHeaders: [String: String] {
        get { headers.filter { $0.key != Self.authorization } }
        set { headers.merge(newValue) { $1 } }
    }
}
