import HTTPTransfer
import Probing
import SpeedTestCore
import StrictYAML

extension SpeedTestServer {
    /// A server of `speedtest.servers`.
    static var type: YAMLType<SpeedTestServer> {
        .section(
            SpeedTestServer(name: "", dialect: .speedlab, url: ""),
            [
                .required("name", \.name, .targetName),
                .required("protocol", \.dialect, .oneOf),
                .required("url", \.url) { .url($0.dialect.schemes) },
                .key("congestion_control", \.congestionControl, .optional(.congestionControl)),
                .key("accept_data_policy", \.acceptsDataPolicy, YAMLType<Bool>.bool.omitted { !$0 }),
                .key("headers", \.otherHeaders, YAMLType<[String: String]>.headers.omitted(\.isEmpty)),
            ] + HTTPRequestOptions.keys.of(\.request),
            complete: { (server, map) throws(YAMLError) in
                try HTTPRequestOptions.check(map)
                if server.dialect == .ndt7, server.proxy != nil || !server.headers.isEmpty {
                    let key = server.proxy == nil ? "headers" : "proxy_url"
                    throw map.error("ndt7 takes no headers, credentials or proxy", at: key)
                }
            }
        )
    }

    private static let authorization = "Authorization"

    fileprivate var otherHeaders: [String: String] {
        get { headers.filter { $0.key != Self.authorization } }
        set { headers = newValue.merging(headers.filter { $0.key == Self.authorization }) { new, _ in new } }
    }

    fileprivate var request: HTTPRequestOptions {
        get {
            var options = HTTPRequestOptions()
            (options.authorization, options.tls, options.proxy) = (headers[Self.authorization], tls, proxy)
            return options
        }
        set { (headers[Self.authorization], tls, proxy) = (newValue.authorization, newValue.tls, newValue.proxy) }
    }
}
